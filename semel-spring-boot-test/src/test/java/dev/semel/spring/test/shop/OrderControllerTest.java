package dev.semel.spring.test.shop;

import static dev.semel.spring.test.SemelMockMvc.idempotencyKey;
import static dev.semel.spring.test.SemelMockMvc.semel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.semel.spring.test.AutoConfigureSemel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** A web slice without a data source: its ledger is in memory. */
// region slice
@WebMvcTest(OrderController.class)
@AutoConfigureSemel
@Import(OrderControllerTest.ListedOrders.class)
class OrderControllerTest {
    @Autowired
    private MockMvc mvc;

    @Autowired
    private ListedOrders book;

    @Test
    void retriedOrderIsPlacedOnce() throws Exception {
        mvc.perform(order("o-1", 10).with(idempotencyKey("k-1"))).andExpect(semel().executed());
        mvc.perform(order("o-1", 10).with(idempotencyKey("k-1"))).andExpect(semel().replayed());
        mvc.perform(order("o-1", 99).with(idempotencyKey("k-1"))).andExpect(semel().conflict());
        mvc.perform(order("o-1", 10)).andExpect(semel().keyRequired());
        assertThat(book.orders).hasSize(1);
    }
    // endregion

    static class ListedOrders implements OrderBook {
        private final List<Order> orders = new ArrayList<>();

        @Override
        public void add(Order order) {
            orders.add(order);
        }
    }

    @BeforeEach
    void clear() {
        book.orders.clear();
    }

    private static MockHttpServletRequestBuilder order(String id, int amount) {
        return request("/orders", id, amount);
    }

    private static MockHttpServletRequestBuilder request(String path, String id, int amount) {
        return post(path)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"id\":\"" + id + "\",\"amount\":" + amount + "}");
    }

    @RepeatedTest(2)
    void keyIsNewInEachTest() throws Exception {
        mvc.perform(order("o-2", 10).with(idempotencyKey("k-2")))
                .andExpect(semel().executed())
                .andExpect(status().isOk());
    }

    @Test
    void routeAtAnotherLevelAndUnprotectedRouteWorkInTheSlice() throws Exception {
        mvc.perform(request("/spanned", "o-3", 1).with(idempotencyKey("k-3"))).andExpect(semel().executed());
        mvc.perform(request("/spanned", "o-3", 1).with(idempotencyKey("k-3"))).andExpect(semel().replayed());
        mvc.perform(post("/searches")).andExpect(semel().unprotected());
    }

    @Test
    void failedExpectationSaysWhatHappenedInstead() {
        assertThatThrownBy(() -> mvc.perform(order("o-4", 1)).andExpect(semel().executed()))
                .isInstanceOf(AssertionError.class)
                .hasMessage("Expected the handler to run, but got status 400, problem idempotency.key_required; the"
                        + " handler did not run.");
        assertThatThrownBy(() ->
                        mvc.perform(order("o-4", 1).with(idempotencyKey("k-4"))).andExpect(semel().replayed()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Expected a replay of the first response, but got status 200; handler:");
    }
}

package dev.semel.spring.test.shop;

import static dev.semel.spring.test.SemelMockMvc.idempotencyKey;
import static dev.semel.spring.test.SemelMockMvc.semel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.semel.spring.test.AutoConfigureSemel;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.transaction.annotation.Transactional;

/** Requests in a {@code @Transactional} test: they take part in the test's transaction and are rolled back with it. */
// region transactional
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureSemel(reset = AutoConfigureSemel.Reset.NEVER)
@Transactional
abstract class TransactionalSuite {
    @Autowired
    private MockMvc mvc;

    @Autowired
    private JdbcTemplate jdbc;

    @RepeatedTest(2)
    void requestIsRolledBackWithTheTest() throws Exception {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", "by the test");
        mvc.perform(order("/orders", 10)).andExpect(semel().executed());
        mvc.perform(order("/orders", 10)).andExpect(semel().replayed());
        assertThat(rows("orders")).isEqualTo(2);
    }

    @AfterTransaction
    void nothingIsLeft() {
        assertThat(rows("orders")).isZero();
        assertThat(rows("semel_record")).isZero();
    }
    // endregion

    private int rows(String table) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class);
        return count == null ? 0 : count;
    }

    private static MockHttpServletRequestBuilder order(String path, int amount) {
        return post(path)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"id\":\"o-1\",\"amount\":" + amount + "}")
                .with(idempotencyKey("k-1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/orders", "/spanned"})
    void failedRequestLeavesNothingOfItsWritesAndRunsAgain(String path) throws Exception {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", "by the test");
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> mvc.perform(order(path, -1))).hasStackTraceContaining("negative amount");
            assertThat(rows("orders")).isEqualTo(1);
        }
        mvc.perform(order(path, 1)).andExpect(semel().conflict());
    }
}

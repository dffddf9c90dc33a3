package dev.semel.spring.test.shop;

import static dev.semel.spring.test.SemelMockMvc.idempotencyKey;
import static dev.semel.spring.test.SemelMockMvc.semel;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.semel.spring.test.AutoConfigureSemel;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.MockMvc;

/** Tests that commit: the ledger is emptied between them, the tables of the application are not. */
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureSemel
class ResetBetweenTestsTest {
    @Autowired
    private MockMvc mvc;

    @Autowired
    private JdbcTemplate jdbc;

    @RepeatedTest(2)
    void keyIsNewInEachTest() throws Exception {
        mvc.perform(post("/orders")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"id\":\"o-1\",\"amount\":1}")
                        .with(idempotencyKey("k-1")))
                .andExpect(semel().executed());
        jdbc.update("DELETE FROM orders");
    }
}

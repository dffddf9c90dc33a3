package dev.semel.spring.boot3;

import static dev.semel.spring.test.SemelMockMvc.idempotencyKey;
import static dev.semel.spring.test.SemelMockMvc.semel;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.semel.spring.test.AutoConfigureSemel;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web slice of Spring Boot 3.5, with the ledger in memory. */
@WebMvcTest(
        properties = "semel.http.anonymous=true",
        excludeAutoConfiguration = {SecurityAutoConfiguration.class, SecurityFilterAutoConfiguration.class})
@AutoConfigureSemel
@ContextConfiguration(classes = SliceOnBoot3Test.Slice.class)
class SliceOnBoot3Test {
    @Configuration(proxyBeanMethods = false)
    @Import(Greetings.class)
    static class Slice {}

    @RestController
    static class Greetings {
        @PostMapping("/greetings")
        String greet() {
            return "hello";
        }
    }

    @Autowired
    private MockMvc mvc;

    @RepeatedTest(2)
    void retriedRequestIsReplayedAndItsKeyIsNewInTheNextTest() throws Exception {
        mvc.perform(post("/greetings").with(idempotencyKey("k-1"))).andExpect(semel().executed());
        mvc.perform(post("/greetings").with(idempotencyKey("k-1"))).andExpect(semel().replayed());
    }
}

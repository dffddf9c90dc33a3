package dev.semel.spring.test;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.ProblemCode;
import dev.semel.http.RetryRules;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.ResultMatcher;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests under a key and expectations for MockMvc:
 * {@code mvc.perform(post("/orders").with(idempotencyKey("k-1"))).andExpect(semel().executed())}.
 */
public final class SemelMockMvc {
    private static final SemelMockMvc EXPECTATIONS = new SemelMockMvc();
    private static final String REPLAYED = "Idempotency-Replayed";

    private SemelMockMvc() {}

    /** Sends the request under this key. */
    public static RequestPostProcessor idempotencyKey(String key) {
        return request -> {
            request.removeHeader(RetryRules.KEY);
            request.addHeader(RetryRules.KEY, key);
            return request;
        };
    }

    /** The expectations. */
    public static SemelMockMvc semel() {
        return EXPECTATIONS;
    }

    /** The handler ran, under the key of the request. */
    public ResultMatcher executed() {
        return result -> {
            boolean ran = result.getHandler() != null;
            demand(ran, "the handler to run", result);
            demand(
                    IdempotentExchange.of(result.getRequest()).isPresent(),
                    "the handler to run under an idempotency key; the request has no key, or its route is not protected",
                    result);
        };
    }

    /** The handler did not run; the response is that of an earlier request with the same key. */
    public ResultMatcher replayed() {
        return result -> demand(
                result.getHandler() == null
                        && "true".equals(result.getResponse().getHeader(REPLAYED)),
                "a replay of the first response",
                result);
    }

    /** The key was used for another request: {@code idempotency.payload_mismatch}. */
    public ResultMatcher conflict() {
        return problem(ProblemCode.PAYLOAD_MISMATCH);
    }

    /** The first request is still running: {@code idempotency.in_progress}. */
    public ResultMatcher inProgress() {
        return problem(ProblemCode.IN_PROGRESS);
    }

    /** The request has no key and needs one: {@code idempotency.key_required}. */
    public ResultMatcher keyRequired() {
        return problem(ProblemCode.KEY_REQUIRED);
    }

    /** The route is not protected, or the request has no key where it is optional: nothing is recorded. */
    public ResultMatcher unprotected() {
        return result -> demand(
                result.getHandler() != null
                        && IdempotentExchange.of(result.getRequest()).isEmpty(),
                "the handler to run without an idempotency key",
                result);
    }

    /** The response is this problem. */
    public ResultMatcher problem(ProblemCode code) {
        return result -> demand(
                code(result.getResponse()).filter(code.code()::equals).isPresent(),
                "the problem " + code.code(),
                result);
    }

    private static Optional<String> code(MockHttpServletResponse response) {
        String type = response.getContentType();
        if (type == null || !MediaType.APPLICATION_PROBLEM_JSON.isCompatibleWith(MediaType.parseMediaType(type))) {
            return Optional.empty();
        }
        try {
            JsonNode code = JsonMapper.shared()
                    .readTree(response.getContentAsByteArray())
                    .path("code");
            return code.isString() ? Optional.of(code.asString()) : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static void demand(boolean so, String expected, MvcResult result) {
        if (!so) {
            MockHttpServletResponse response = result.getResponse();
            throw new AssertionError("Expected " + expected + ", but got status " + response.getStatus()
                    + code(response).map(code -> ", problem " + code).orElse("")
                    + (response.getHeader(REPLAYED) != null ? ", a replay" : "")
                    + (result.getHandler() == null ? "; the handler did not run" : "; handler: " + result.getHandler())
                    + ".");
        }
    }
}

package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The usual behaviour of the container is the same behind the filter. */
@ParameterizedClass
@EnumSource(Container.class)
class ContainerBehaviourTest {
    @Parameter
    private Container container;

    @Test
    void writesAfterAnErrorOrRedirectAreIgnored() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            if ("/redirect".equals(request.getPathInfo())) {
                response.sendRedirect("/elsewhere");
            } else {
                response.sendError(404, "no such order");
            }
            response.getWriter().write("too late");
        })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse error = server.send(server.post("/error", "k-1", "{}"));
                assertThat(error.status()).isEqualTo(404);
                assertThat(error.text()).startsWith("{").doesNotContain("too late");
                assertThat(server.send(server.post("/redirect", "k-2", "{}")).text())
                        .isEmpty();
            }
        }
    }

    @Test
    void encodingOfAnOpenWriterIsFixed() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            response.setContentType("text/plain;charset=ISO-8859-1");
            response.getWriter().write("\u00e4");
            response.setContentType("text/html;charset=UTF-8");
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Content-Type", "text/html;charset=UTF-8");
        })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.header("Content-Type").orElse(""))
                        .startsWith("text/html")
                        .containsIgnoringCase("8859-1");
                assertThat(received.body()).isEqualTo("\u00e4".getBytes(StandardCharsets.ISO_8859_1));
            }
        }
    }

    @Test
    void forwardsAndIncludesGetAResponse() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                request.getRequestDispatcher("/b").forward(request, response);
            } else if (request.getDispatcherType() != DispatcherType.REQUEST) {
                response.getWriter().write("there");
            } else if ("/async".equals(request.getPathInfo())) {
                request.startAsync().dispatch();
            } else {
                response.setHeader("ETag", "\"1\"");
                response.getWriter().write("here ");
                request.getRequestDispatcher("/b").include(request, response);
            }
        })) {
            for (int i = 0; i < 2; i++) {
                assertThat(server.send(server.post("/async", "k-1", "{}")).text())
                        .isEqualTo("there");
                ReceivedResponse included = server.send(server.post("/a", "k-2", "{}"));
                assertThat(included.text()).isEqualTo("here there");
                assertThat(included.header("ETag")).contains("\"1\"");
            }
        }
    }

    @Test
    void forwardedRequestGetsTheResponseOfItsTarget() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.FORWARD) {
                response.setContentType("application/json");
                response.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
            } else {
                request.getRequestDispatcher("/b").forward(request, response);
            }
        })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.text()).isEqualTo("{}");
                assertThat(received.headers().allValues("Content-Type")).containsExactly("application/json");
            }
        }
    }

    @Test
    void responseThatCannotBeHeldIsAFailure() {
        try (FilteredServer server =
                FilteredServer.open(container, all -> all.withDefault(Rule.off()), (request, response) -> {
                    HeldResponse held = new HeldResponse(response, Rule.Limits.DEFAULT, new SpoolBuffer(10, 100));
                    held.getWriter().write("x".repeat(200));
                    String told = "nothing";
                    try {
                        held.writeError(
                                request,
                                (asked, answer, status, message) -> {},
                                (asked, answer, status, message) -> {});
                    } catch (IOException e) {
                        told = e.getMessage();
                    }
                    response.getWriter().write(told);
                })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).startsWith("Holding the response failed");
        }
    }
}

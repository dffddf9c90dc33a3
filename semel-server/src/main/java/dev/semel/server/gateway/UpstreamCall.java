package dev.semel.server.gateway;

import dev.semel.http.IdempotencyFilter;
import dev.semel.http.IdempotentExchange;
import dev.semel.server.config.GatewayConfig;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ByteBufferPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes one request on to the API, and its answer back. It blocks its thread: under a key the body is spooled before and the answer is
 * held, so there is nothing to gain from doing both bit by bit, and the number of requests at once is limited.
 *
 * <p>A failure before the request was handed to a connection had no effect, so it may be retried. After that nobody knows.
 */
final class UpstreamCall {
    private static final Logger LOG = LoggerFactory.getLogger(UpstreamCall.class);

    /** Of an answer under a key; the rest is not read, and the request is recorded as done without a body. */
    static final long MOST_HELD = 16L << 20;

    private static final int CHUNK = 16 << 10;

    private final GatewayConfig config;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final boolean keyed;
    private final AtomicReference<Sending> sending = new AtomicReference<>(Sending.WAITING);

    /** Whether a request was handed to a connection, or was given up before: one of the two happens, and only once. */
    private enum Sending {
        WAITING,
        BEGUN,
        GIVEN_UP
    }

    UpstreamCall(GatewayConfig config, HttpServletRequest request, HttpServletResponse response) {
        this.config = config;
        this.request = request;
        this.response = response;
        this.keyed = IdempotentExchange.of(request).isPresent();
    }

    void run(UpstreamClient client, String target) throws IOException {
        Request sent = client.request(request.getMethod(), target)
                .headers(all -> all.add(ForwardedHeaders.toApi(config, request)))
                .onRequestBegin(this::begin);
        if (hasBody(request)) {
            sent.body(new InputStreamRequestContent(
                    // Not getContentType: Jetty throws there for a charset that it does not know.
                    request.getHeader("Content-Type"),
                    request.getInputStream(),
                    new ByteBufferPool.Sized(ByteBufferPool.NON_POOLING, false, CHUNK)));
            if (request.getContentLengthLong() >= 0) {
                sent.headers(all -> all.put(HttpHeader.CONTENT_LENGTH, request.getContentLengthLong()));
            }
        }
        if (keyed) {
            sent.timeout(config.upstream().timeout().toMillis(), TimeUnit.MILLISECONDS);
        }
        InputStreamResponseListener answer = new InputStreamResponseListener();
        sent.send(answer);
        try (InputStream body = answer.getInputStream()) {
            Response head = answer.get(config.upstream().timeout().toMillis(), TimeUnit.MILLISECONDS);
            if (isRefusedStream(head)) {
                sent.abort(new IOException("streams are refused"));
                GatewayProblem.STREAM_REFUSED.send(request, response);
            } else {
                pass(sent, head, body);
            }
        } catch (InterruptedException e) {
            sent.abort(e);
            Thread.currentThread().interrupt();
            throw new IOException("The request to the API was interrupted.", e);
        } catch (ExecutionException | TimeoutException | IOException e) {
            failed(sent, e);
        }
    }

    /** Called by Jetty right before it writes to a connection. It sends a request once, and again only if nothing was written. */
    void begin(Request sent) {
        if (!sending.compareAndSet(Sending.WAITING, Sending.BEGUN) && sending.get() == Sending.GIVEN_UP) {
            sent.abort(new IOException("the request was given up before it was sent"));
        }
    }

    /** Whether the request has a body, of known length or not. */
    static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private boolean isRefusedStream(Response head) {
        String type = head.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return !keyed && !config.upstream().streams() && type != null && IdempotencyFilter.isStream(type);
    }

    /** Passes an answer back. */
    void pass(Request sent, Response head, InputStream body) throws IOException {
        if (head.getStatus() < 200) {
            throw new IOException("the API answered HTTP " + head.getStatus() + ", which ends no request");
        }
        response.setStatus(head.getStatus());
        ForwardedHeaders.toCaller(head.getHeaders(), response);
        long length = head.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        if (!keyed && length >= 0) {
            response.setContentLengthLong(length);
        }
        byte[] chunk = new byte[CHUNK];
        long held = 0;
        for (int read = body.read(chunk); read >= 0; read = body.read(chunk)) {
            response.getOutputStream().write(chunk, 0, read);
            held += read;
            if (keyed && held > MOST_HELD) {
                sent.abort(new IOException("the answer is longer than can be held"));
                return;
            }
            if (!keyed && body.available() == 0) {
                response.flushBuffer();
            }
        }
    }

    /** An answer of which something has left cannot be replaced: its connection is closed, so that the caller sees that it broke off. */
    void failed(Request sent, Exception why) throws IOException {
        boolean unsent = sending.compareAndSet(Sending.WAITING, Sending.GIVEN_UP);
        sent.abort(why);
        LOG.warn(
                "Gateway {}: {} (correlation {}).",
                config.name(),
                unsent ? "connection to the API failed; nothing was sent" : "the API did not answer completely",
                response.getHeader("X-Correlation-ID"),
                why);
        if (!keyed && response.isCommitted()) {
            throw new IOException("The answer of the API broke off.", why);
        }
        response.resetBuffer();
        clearHeaders();
        if (unsent) {
            IdempotentExchange.of(request).ifPresent(IdempotentExchange::noEffect);
        }
        boolean late = why instanceof TimeoutException || why.getCause() instanceof TimeoutException;
        (unsent ? GatewayProblem.UNREACHABLE : late ? GatewayProblem.TIMED_OUT : GatewayProblem.NO_ANSWER)
                .send(request, response);
    }

    /** Those of an answer that broke off do not belong to the problem. */
    private void clearHeaders() {
        String correlation = response.getHeader("X-Correlation-ID");
        String id = response.getHeader("X-Request-ID");
        response.reset();
        if (correlation != null) {
            response.setHeader("X-Correlation-ID", correlation);
        }
        if (id != null) {
            response.setHeader("X-Request-ID", id);
        }
    }
}

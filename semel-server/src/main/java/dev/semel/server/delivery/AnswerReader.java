package dev.semel.server.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Reads one answer as it comes in: at most {@link #MOST} bytes of it, of which it keeps the first. A longer answer ends there, and its
 * connection is closed.
 */
final class AnswerReader implements Response.Listener {
    /** So much of a body is read. */
    static final int MOST = 64 << 10;

    private final CompletableFuture<HttpAnswer> done = new CompletableFuture<>();
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
    private int read;

    @Override
    public void onContent(Response response, ByteBuffer content) {
        int length = content.remaining();
        byte[] kept = new byte[Math.min(length, HttpAnswer.KEPT - beginning.size())];
        content.get(kept);
        beginning.writeBytes(kept);
        read += length;
        if (read > MOST) {
            done.complete(answer(response));
            response.abort(new IOException("the answer is longer than " + MOST + " bytes"));
        }
    }

    @Override
    public void onComplete(Result result) {
        // A destination may answer without having read the whole request; then only the request has failed.
        Throwable failure = result.getResponseFailure();
        if (failure == null) {
            done.complete(answer(result.getResponse()));
        } else {
            done.completeExceptionally(failure);
        }
    }

    private HttpAnswer answer(Response response) {
        return new HttpAnswer(
                response.getStatus(),
                response.getHeaders().get(HttpHeader.RETRY_AFTER),
                response.getHeaders().get(HttpHeader.CONTENT_ENCODING),
                beginning.toByteArray());
    }

    /**
     * Waits for the end of the answer.
     *
     * @throws IOException when there is none, or it broke off
     * @throws TimeoutException when it has not ended by then
     */
    HttpAnswer await(Duration atMost) throws IOException, TimeoutException, InterruptedException {
        try {
            return done.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof IOException broken) {
                throw broken;
            }
            if (cause instanceof TimeoutException late) {
                throw late;
            }
            throw new IOException(cause);
        }
    }
}

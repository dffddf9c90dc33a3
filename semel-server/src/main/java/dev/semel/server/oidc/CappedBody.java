package dev.semel.server.oidc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads a body up to a limit, and closes the connection when there is more. */
final class CappedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final int limit;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    /** @param limit 0 to read nothing and be done */
    CappedBody(int limit) {
        this.limit = limit;
    }

    /** There is more than the limit. */
    static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1;

        TooLarge(int limit) {
            super("its answer is larger than " + limit + " bytes");
        }
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (limit == 0) {
            body.complete(new byte[0]);
            given.cancel();
        } else {
            given.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> items) {
        for (ByteBuffer item : items) {
            if (bytes.size() + item.remaining() > limit) {
                body.completeExceptionally(new TooLarge(limit));
                if (subscription != null) {
                    subscription.cancel();
                }
                return;
            }
            byte[] chunk = new byte[item.remaining()];
            item.get(chunk);
            bytes.writeBytes(chunk);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(bytes.toByteArray());
    }
}

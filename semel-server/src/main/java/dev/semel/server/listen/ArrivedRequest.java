package dev.semel.server.listen;

import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** A request whose body has arrived, in part or as a whole. The rest of it, if there is more, is read from the connection. */
final class ArrivedRequest extends Request.Wrapper {
    private final Deque<ByteBuffer> pieces;
    private final DataRate rate;
    private final boolean complete;
    private @Nullable Throwable failure;
    private long read;

    ArrivedRequest(
            Request request, Deque<ByteBuffer> pieces, DataRate rate, boolean complete, @Nullable Throwable failure) {
        super(request);
        this.pieces = pieces;
        this.rate = rate;
        this.complete = complete;
        this.failure = failure;
    }

    @Override
    public Content.@Nullable Chunk read() {
        ByteBuffer piece = pieces.poll();
        if (piece != null) {
            read += piece.remaining();
            return Content.Chunk.from(piece, complete && pieces.isEmpty());
        }
        if (failure != null) {
            return Content.Chunk.from(failure, true);
        }
        if (complete) {
            return Content.Chunk.EOF;
        }
        Content.Chunk chunk = super.read();
        if (chunk != null) {
            read += chunk.remaining();
        }
        return chunk;
    }

    @Override
    public void demand(Runnable available) {
        if (pieces.isEmpty() && failure == null && !complete) {
            if (rate.isSlow(read, System.nanoTime())) {
                failure = new TimeoutException("The body was given up: it arrives too slowly.");
            } else {
                super.demand(available);
                return;
            }
        }
        getContext().execute(available);
    }

    @Override
    public void fail(Throwable why) {
        pieces.clear();
        failure = why;
        super.fail(why);
    }
}

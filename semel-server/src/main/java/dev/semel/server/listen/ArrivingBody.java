package dev.semel.server.listen;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A body of which not all has arrived. Its bytes are copied: a chunk of one byte would keep a whole network buffer of Jetty's.
 *
 * <p>It is passed on once: when it is complete, when there is as much of it as is awaited, when reading it fails, or when it is given up.
 * Jetty calls {@link #run} from one thread at a time; it is given up from others.
 */
final class ArrivingBody implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingBody.class);
    private static final int SMALLEST_PIECE = 512;
    private static final int LARGEST_PIECE = 64 << 10;

    private final Request request;
    private final int awaited;
    private final HeldBytes memory;
    private final DataRate rate = new DataRate();
    private final Deque<ByteBuffer> pieces = new ArrayDeque<>();
    private @Nullable Runnable passOn;
    private long taken;
    private long arrived;
    private boolean passed;
    private boolean complete;
    private @Nullable Throwable failure;

    ArrivingBody(Request request, int awaited, HeldBytes memory) {
        this.request = request;
        this.awaited = awaited;
        this.memory = memory;
    }

    /**
     * Reads what has arrived.
     *
     * @return whether the request can be passed on now; if not, this is called later, from some thread
     */
    boolean begin(Runnable later) {
        memory.begin(this);
        if (readAvailable()) {
            return true;
        }
        synchronized (this) {
            if (passed) {
                return true;
            }
            passOn = later;
        }
        request.demand(this);
        return false;
    }

    @Override
    public void run() {
        if (readAvailable()) {
            passOn();
        } else if (!isPassed()) {
            request.demand(this);
        }
    }

    private synchronized boolean isPassed() {
        return passed;
    }

    private void passOn() {
        Runnable later;
        synchronized (this) {
            later = passOn;
            passOn = null;
        }
        if (later != null) {
            later.run();
        }
    }

    /** Whether this call found that it is to be passed on. */
    private boolean readAvailable() {
        while (true) {
            Content.Chunk chunk = isPassed() ? null : request.read();
            if (chunk == null) {
                return false;
            }
            boolean enough;
            try {
                enough = take(chunk);
            } finally {
                chunk.release();
            }
            if (enough) {
                return true;
            }
        }
    }

    private boolean take(Content.Chunk chunk) {
        if (Content.Chunk.isFailure(chunk)) {
            return end(chunk.getFailure(), false);
        }
        ByteBuffer bytes = chunk.getByteBuffer();
        while (bytes.hasRemaining()) {
            if (!copy(bytes)) {
                return end(new TimeoutException("there is no memory left for the body"), false);
            }
        }
        return chunk.isLast() ? end(null, true) : arrived() > awaited && end(null, false);
    }

    /** False when there is no memory; nothing is copied for a body that has been given up. */
    private boolean copy(ByteBuffer bytes) {
        int wanted = (int) Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, Math.max(bytes.remaining(), taken)));
        if (needsPiece()) {
            if (!memory.take(this, wanted)) {
                return false;
            }
            addPiece(wanted);
        }
        synchronized (this) {
            ByteBuffer piece = pieces.peekLast();
            if (piece == null) {
                bytes.position(bytes.limit());
                return true;
            }
            int length = Math.min(piece.remaining(), bytes.remaining());
            piece.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
            arrived += length;
        }
        return true;
    }

    private synchronized boolean needsPiece() {
        ByteBuffer last = pieces.peekLast();
        return !passed && (last == null || !last.hasRemaining());
    }

    private synchronized void addPiece(int bytes) {
        if (passed) {
            memory.release(bytes);
        } else {
            pieces.add(ByteBuffer.allocate(bytes));
            taken += bytes;
        }
    }

    private synchronized long arrived() {
        return arrived;
    }

    /** Whether this is what ended it. */
    private boolean end(@Nullable Throwable why, boolean whole) {
        synchronized (this) {
            if (passed) {
                return false;
            }
            passed = true;
            failure = why;
            complete = whole;
        }
        memory.end(this);
        return true;
    }

    /** Passes the request on with a body that cannot be read. What has arrived is forgotten. */
    void giveUp(String why) {
        if (end(new TimeoutException("The body was given up: " + why + "."), false)) {
            LOG.info("A body from {} was given up: {}.", Request.getRemoteAddr(request), why);
            forget();
            passOn();
        }
    }

    /** Frees its memory. */
    synchronized void forget() {
        pieces.clear();
        memory.release(taken);
        taken = 0;
    }

    boolean isSlow(long now) {
        return rate.isSlow(arrived(), now);
    }

    /** Whether the rest is still to be read. */
    synchronized boolean isIncomplete() {
        return !complete && failure == null;
    }

    /** The request, with a body that begins with what has arrived. */
    synchronized Request arrivedRequest() {
        pieces.forEach(ByteBuffer::flip);
        return new ArrivedRequest(request, new ArrayDeque<>(pieces), rate, complete, failure);
    }
}

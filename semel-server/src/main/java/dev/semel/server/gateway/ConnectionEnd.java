package dev.semel.server.gateway;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;

/** One end of an upgraded connection: reads from its endpoint, and writes to that of the other end. */
final class ConnectionEnd extends AbstractConnection implements Connection.UpgradeTo {
    private static final int BUFFER = 16 << 10;

    private final UpgradedConnection connection;
    private volatile @Nullable Relay relay;
    private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

    ConnectionEnd(UpgradedConnection connection, EndPoint endPoint, Executor executor) {
        super(endPoint, executor);
        this.connection = connection;
    }

    /** What was sent right after the request, or the answer, that led to the upgrade. */
    @Override
    public void onUpgradeTo(@Nullable ByteBuffer buffer) {
        if (buffer != null && buffer.hasRemaining()) {
            early = BufferUtil.copy(buffer);
        }
    }

    @Override
    public void onOpen() {
        super.onOpen();
        connection.opened();
    }

    void relayTo(ConnectionEnd other) {
        Relay made = new Relay(other.getEndPoint());
        relay = made;
        made.iterate();
    }

    @Override
    public void onFillable() {
        Relay present = relay;
        if (present != null) {
            present.iterate();
        }
    }

    @Override
    public void onFillInterestedFailed(Throwable cause) {
        connection.close();
    }

    @Override
    public void onClose(Throwable cause) {
        super.onClose(cause);
        connection.close();
    }

    /** Writes all that was read before it reads again: a side that does not read stops the other one. */
    private final class Relay extends IteratingCallback {
        private final EndPoint target;
        private final ByteBuffer buffer = BufferUtil.allocate(BUFFER);

        Relay(EndPoint target) {
            this.target = target;
        }

        @Override
        protected Action process() throws Throwable {
            if (early.hasRemaining()) {
                ByteBuffer first = early;
                early = BufferUtil.EMPTY_BUFFER;
                target.write(this, first);
                return Action.SCHEDULED;
            }
            BufferUtil.clear(buffer);
            int read = getEndPoint().fill(buffer);
            if (read > 0) {
                target.write(this, buffer);
                return Action.SCHEDULED;
            }
            if (read == 0) {
                fillInterested();
                return Action.IDLE;
            }
            return Action.SUCCEEDED;
        }

        @Override
        protected void onCompleteSuccess() {
            target.shutdownOutput();
            connection.ended();
        }

        @Override
        protected void onCompleteFailure(Throwable cause) {
            connection.close();
        }
    }
}

package dev.semel.bench;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import javax.net.SocketFactory;

/**
 * Counts completed statements and ended transactions by PostgreSQL's protocol, without additional statements. The
 * driver creates it by name, so it is public and its counters are shared.
 */
public final class CountingSockets extends SocketFactory {
    private static final LongAdder TRANSACTIONS = new LongAdder();
    private static final LongAdder STATEMENTS = new LongAdder();

    /** The counts until now. */
    record Count(long transactions, long statements) {
        static Count now() {
            return new Count(TRANSACTIONS.sum(), STATEMENTS.sum());
        }

        Count since(Count before) {
            return new Count(transactions - before.transactions, statements - before.statements);
        }
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public InputStream getInputStream() throws IOException {
                return new CountingInput(super.getInputStream());
            }
        };
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw unneeded();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
        throw unneeded();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw unneeded();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
        throw unneeded();
    }

    private static UnsupportedOperationException unneeded() {
        return new UnsupportedOperationException("PostgreSQL's driver connects its sockets itself.");
    }

    private static final class CountingInput extends FilterInputStream {
        private final ProtocolCounter ear = new ProtocolCounter();

        CountingInput(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            if (value >= 0) {
                ear.hear((byte) value);
            }
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = super.read(buffer, offset, length);
            for (int i = 0; i < count; i++) {
                ear.hear(buffer[offset + i]);
            }
            return count;
        }
    }

    /** Follows the server's messages: a letter, a length of four bytes that counts itself, a body. */
    static final class ProtocolCounter {
        private static final String FRAME = "BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE";
        private static final int LENGTH = 4;

        private final StringBuilder body = new StringBuilder();
        private boolean greeted;
        private char type;
        private int header = -1;
        private int length;
        private int seen;
        private boolean worked;

        void hear(byte value) {
            if (header < 0) {
                type = (char) value;
                boolean refusalOfTls = !greeted && type == 'N';
                greeted = true;
                header = refusalOfTls ? -1 : 0;
                length = 0;
            } else if (header < LENGTH) {
                length = length << 8 | value & 0xff;
                if (++header == LENGTH) {
                    length -= LENGTH;
                    seen = 0;
                    body.setLength(0);
                    endAfter();
                }
            } else {
                if (type == 'C' || type == 'Z') {
                    body.append((char) value);
                }
                seen++;
                endAfter();
            }
        }

        private void endAfter() {
            if (seen < length) {
                return;
            }
            header = -1;
            if (type == 'C') {
                worked = true;
                String command = body.toString().split("[ \0]", 2)[0];
                if (!command.matches(FRAME)) {
                    STATEMENTS.increment();
                }
            } else if (type == 'Z' && body.charAt(0) == 'I') {
                if (worked) {
                    TRANSACTIONS.increment();
                }
                worked = false;
            }
        }
    }
}

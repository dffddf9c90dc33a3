package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CountingSocketsTest {
    private final CountingSockets.ProtocolCounter ear = new CountingSockets.ProtocolCounter();
    private final CountingSockets.Count before = CountingSockets.Count.now();

    private void hear(char type, String body) {
        byte[] text = body.getBytes(StandardCharsets.ISO_8859_1);
        byte[] message = ByteBuffer.allocate(5 + text.length)
                .put((byte) type)
                .putInt(4 + text.length)
                .put(text)
                .array();
        for (byte each : message) {
            ear.hear(each);
        }
    }

    private CountingSockets.Count heard() {
        return CountingSockets.Count.now().since(before);
    }

    @Test
    void statementsAndTheEndOfTheirTransactionAreCounted() {
        hear('C', "BEGIN\0");
        hear('D', "any row at all");
        hear('C', "SELECT 1\0");
        hear('Z', "T");
        hear('C', "INSERT 0 1\0");
        hear('Z', "T");
        hear('C', "COMMIT\0");
        hear('Z', "I");
        assertThat(heard()).isEqualTo(new CountingSockets.Count(1, 2));
    }

    @Test
    void statementAloneIsATransaction() {
        hear('C', "UPDATE 3\0");
        hear('Z', "I");
        assertThat(heard()).isEqualTo(new CountingSockets.Count(1, 1));
    }

    @Test
    void greetingAndAnEmptyQueryAreNone() {
        ear.hear((byte) 'N');
        hear('R', "\0\0\0\0");
        hear('Z', "I");
        hear('I', "");
        hear('Z', "I");
        assertThat(heard()).isEqualTo(new CountingSockets.Count(0, 0));
    }

    @Test
    void onlyTheDriversWayToMakeASocketIsThere() {
        CountingSockets sockets = new CountingSockets();
        InetAddress here = InetAddress.getLoopbackAddress();
        assertThat(sockets.createSocket()).isNotNull();
        assertThatThrownBy(() -> sockets.createSocket("localhost", 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> sockets.createSocket("localhost", 1, here, 2))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> sockets.createSocket(here, 1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> sockets.createSocket(here, 1, here, 2))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}

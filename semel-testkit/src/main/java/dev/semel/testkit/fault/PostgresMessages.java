package dev.semel.testkit.fault;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a client says to PostgreSQL, message by message, and knows which statement each execution is of. Drivers name
 * their statements once and refer to the name from then on, COMMIT included, so names and portals are remembered.
 */
final class PostgresMessages {
    private static final int SSL_REQUEST = 80_877_103;
    private static final int GSS_REQUEST = 80_877_104;

    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private boolean started;

    /**
     * A whole message as it goes over the wire.
     *
     * @param executes the text of the statement that it makes the server execute
     */
    record Message(byte[] bytes, @Nullable String executes) {}

    /** Takes bytes in and returns the messages that are complete now. */
    List<Message> read(byte[] bytes, int length) {
        pending.write(bytes, 0, length);
        byte[] all = pending.toByteArray();
        List<Message> complete = new ArrayList<>();
        int position = 0;
        int size = size(all, position);
        while (size > 0 && position + size <= all.length) {
            complete.add(message(Arrays.copyOfRange(all, position, position + size)));
            position += size;
            size = size(all, position);
        }
        pending.reset();
        pending.write(all, position, all.length - position);
        return complete;
    }

    /** The first messages have no type; their length comes first. */
    private int size(byte[] all, int position) {
        int header = started ? 1 : 0;
        if (all.length < position + header + Integer.BYTES) {
            return -1;
        }
        return header + ByteBuffer.wrap(all).getInt(position + header);
    }

    private Message message(byte[] bytes) {
        if (!started) {
            int code = ByteBuffer.wrap(bytes).getInt(Integer.BYTES);
            started = code != SSL_REQUEST && code != GSS_REQUEST;
            return new Message(bytes, null);
        }
        ByteBuffer body = ByteBuffer.wrap(bytes, 1 + Integer.BYTES, bytes.length - 1 - Integer.BYTES);
        String executes = null;
        switch (bytes[0]) {
            case 'Q' -> executes = text(body);
            case 'P' -> statements.put(text(body), text(body));
            case 'B' -> portals.put(text(body), statements.getOrDefault(text(body), ""));
            case 'E' -> executes = portals.getOrDefault(text(body), "");
            default -> {}
        }
        return new Message(bytes, executes == null ? null : executes.strip());
    }

    private static String text(ByteBuffer body) {
        int start = body.position();
        while (body.get() != 0) {
            // up to the NUL that ends it
        }
        return new String(body.array(), start, body.position() - 1 - start, StandardCharsets.UTF_8);
    }
}

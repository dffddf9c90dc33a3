package dev.semel.key;

import dev.semel.Key;
import dev.semel.SemelException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Joins the parts of a key so that no two lists of parts give the same text. */
final class Parts {
    private static final String ABSENT = "*";
    private static final String HASHED = "#";
    private static final HexFormat UPPER = HexFormat.of().withUpperCase();

    private final String prefix;
    private final StringBuilder joined;

    private Parts(String prefix) {
        this.prefix = prefix;
        this.joined = new StringBuilder(64).append(prefix);
    }

    static Parts of(String prefix) {
        return new Parts(prefix);
    }

    /** A part without which unrelated calls would share a key. */
    Parts required(String name, String value) {
        if (value.isEmpty()) {
            throw new SemelException.Invalid(
                    "The " + name + " of a key is empty: unrelated calls would count as the same."
                            + " Give it, or use another kind of key.");
        }
        return optional(name, value);
    }

    Parts optional(String name, @Nullable String value) {
        joined.append(':');
        if (value == null) {
            joined.append(ABSENT);
        } else {
            encode(utf8(name, value));
        }
        return this;
    }

    Parts number(long value) {
        joined.append(':').append(value);
        return this;
    }

    Parts hash(byte[] sha256) {
        joined.append(':').append(HASHED).append(HexFormat.of().formatHex(sha256));
        return this;
    }

    String text() {
        if (joined.length() <= Key.MAX_LENGTH) {
            return joined.toString();
        }
        byte[] sha256 = Hashes.of(joined.toString().getBytes(StandardCharsets.US_ASCII));
        return Parts.of(prefix).hash(sha256).joined.toString();
    }

    Key key() {
        return Key.of(text());
    }

    /** Refuses what UTF-8 cannot carry, instead of letting two texts meet in a question mark. */
    static byte[] utf8(String name, String value) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new SemelException.Invalid(
                    "The " + name + " has half of a surrogate pair: such text cannot be stored faithfully. Repair the"
                            + " text before it becomes part of a key.",
                    e);
        }
    }

    private void encode(byte[] bytes) {
        for (byte b : bytes) {
            if (isUnreserved(b)) {
                joined.append((char) b);
            } else {
                joined.append('%').append(UPPER.toHexDigits(b));
            }
        }
    }

    private static boolean isUnreserved(byte b) {
        return b >= 'a' && b <= 'z'
                || b >= 'A' && b <= 'Z'
                || b >= '0' && b <= '9'
                || b == '-'
                || b == '.'
                || b == '_'
                || b == '~';
    }
}

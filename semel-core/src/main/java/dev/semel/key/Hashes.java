package dev.semel.key;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, with every part length-prefixed so that no two lists of parts give the same bytes. */
final class Hashes {
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(() -> {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime must have SHA-256; this one has not.", e);
        }
    });

    private Hashes() {}

    static RecordId recordId(String... parts) {
        return RecordId.of(ofParts(parts));
    }

    static byte[] ofParts(String... parts) {
        MessageDigest digest = SHA_256.get();
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }
        return digest.digest();
    }

    static byte[] of(byte[]... chunks) {
        MessageDigest digest = SHA_256.get();
        for (byte[] chunk : chunks) {
            digest.update(chunk);
        }
        return digest.digest();
    }
}

package dev.semel.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** What is kept of a secret: its SHA-256. Comparing two takes as long whether they are equal or not. */
public final class SecretDigest {
    private final byte[] sha256;

    private SecretDigest(byte[] sha256) {
        this.sha256 = sha256;
    }

    /** Of a secret with so much randomness that nobody can find it by its digest. */
    public static SecretDigest of(String secret) {
        try {
            return new SecretDigest(
                    MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java runtime has no SHA-256.", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SecretDigest digest && MessageDigest.isEqual(sha256, digest.sha256);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sha256);
    }

    /** Nothing of it. */
    @Override
    public String toString() {
        return "SecretDigest";
    }
}

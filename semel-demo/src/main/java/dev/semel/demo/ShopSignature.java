package dev.semel.demo;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs as Standard Webhooks.
 *
 * @param secret as the server is told it
 */
record ShopSignature(String secret) {
    private static final String PREFIX = "whsec_";
    private static final int BYTES = 32;

    /** With a secret of this run. */
    static ShopSignature fresh() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return new ShopSignature(PREFIX + Base64.getEncoder().encodeToString(key));
    }

    /** The header {@code webhook-signature}. */
    String of(ShopEvent event, long seconds) {
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes((event.id() + "." + seconds + ".").getBytes(StandardCharsets.US_ASCII));
        signed.writeBytes(event.body());
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring(PREFIX.length())), "HmacSHA256"));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed.toByteArray()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no HMAC with SHA-256.", e);
        }
    }

    @Override
    public String toString() {
        return "ShopSignature[secret=***]";
    }
}

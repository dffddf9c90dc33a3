package dev.semel.server.delivery;

import dev.semel.SemelException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.http.HttpFields;

/**
 * Signs as Standard Webhooks says: {@code webhook-signature} has one entry for each live secret, so that a receiver accepts the webhook
 * before, during and after a rotation.
 */
final class StandardSigner {
    static final String ID = "webhook-id";
    static final String TIMESTAMP = "webhook-timestamp";
    static final String SIGNATURE = "webhook-signature";
    private static final String SECRET_PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";

    private final List<byte[]> keys = new ArrayList<>();

    /** @throws SemelException.Misconfigured when a secret is not one; its text is not shown */
    StandardSigner(String destination, List<String> secrets) {
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < secrets.size(); i++) {
            String secret = secrets.get(i);
            String encoded = secret.startsWith(SECRET_PREFIX) ? secret.substring(SECRET_PREFIX.length()) : secret;
            try {
                byte[] key = Base64.getDecoder().decode(encoded);
                if (key.length > 0) {
                    keys.add(key);
                    continue;
                }
            } catch (IllegalArgumentException e) {
                // said below, without its text
            }
            faults.add("signing secret " + (i + 1) + " of " + secrets.size()
                    + " is malformed: write whsec_ and the base64 form of 24 to 64 random bytes");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("destination " + destination, faults);
        }
    }

    /** Adds id and time, and the signatures if there is a secret. */
    void sign(HttpFields.Mutable headers, String id, Instant at, byte[] body) {
        String timestamp = Long.toString(at.getEpochSecond());
        headers.put(ID, id);
        headers.put(TIMESTAMP, timestamp);
        if (!keys.isEmpty()) {
            byte[] prefix = (id + "." + timestamp + ".").getBytes(StandardCharsets.US_ASCII);
            headers.put(
                    SIGNATURE,
                    keys.stream().map(key -> "v1," + hmac(key, prefix, body)).collect(Collectors.joining(" ")));
        }
    }

    private static String hmac(byte[] key, byte[] prefix, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(prefix);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no " + ALGORITHM + ".", e);
        }
    }
}

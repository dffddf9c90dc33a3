package dev.semel.http.ingress;

import dev.semel.http.ingress.SignatureScheme.Signed;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Compares the signatures of a request with those that each live secret gives for its raw bytes. The work is one HMAC for each secret,
 * however many signatures a request has. The comparison takes the same time wherever two texts differ.
 */
class SignatureCheck {
    /** Shorter ones can be guessed. */
    static final int SHORTEST_SECRET = 16;

    private final SignatureScheme scheme;
    private final List<byte[]> keys = new ArrayList<>();
    private final Duration tolerance;

    /** @param secrets without {@link #faults} */
    SignatureCheck(SignatureScheme scheme, WebhookSecrets secrets, Duration tolerance) {
        this.scheme = scheme;
        this.tolerance = tolerance;
        secrets.texts().forEach(secret -> keys.add(scheme.key(secret).orElseThrow()));
    }

    /** What is wrong with the secrets, without their text. */
    static List<String> faults(SignatureScheme scheme, WebhookSecrets secrets) {
        List<String> faults = new ArrayList<>();
        List<String> texts = secrets.texts();
        if (texts.size() > WebhookSecrets.MOST) {
            faults.add("there are " + texts.size() + " secrets: keep at most " + WebhookSecrets.MOST);
        }
        for (int i = 0; i < texts.size(); i++) {
            Optional<byte[]> key = scheme.key(texts.get(i));
            if (key.isEmpty() || key.get().length < SHORTEST_SECRET) {
                faults.add("secret " + (i + 1) + " of " + texts.size()
                        + " is too short or malformed: a secret of this sender is " + scheme.secretForm());
            }
        }
        return faults;
    }

    /** Whether there is a secret to check with. */
    boolean isPossible() {
        return !keys.isEmpty();
    }

    /** @throws Refused when no signature is valid, or the signed time is out of tolerance */
    void demandValid(ReceivedRequest request) throws Refused {
        Signed signed = scheme.read(request);
        boolean valid = false;
        for (byte[] key : keys) {
            byte[] expected = ascii(signed.encoding().encoded(hmac(signed, key, request.body())));
            for (String candidate : signed.candidates()) {
                valid |= isSame(expected, ascii(signed.encoding().comparable(candidate)));
            }
        }
        if (!valid || keys.isEmpty()) {
            throw Refused.signature("no signature fits a live secret");
        }
        if (signed.timestamp().isPresent()) {
            long now = request.received().getEpochSecond();
            if (!isFresh(signed.timestamp().getAsLong(), now)) {
                throw new Refused(
                        IngressCode.TIMESTAMP_REJECTED,
                        "the signature is valid, but its timestamp is more than " + tolerance.toSeconds()
                                + " s from this server's clock: it is a late replay, or a clock is wrong");
            }
        }
    }

    /** Of the full length, in constant time. */
    boolean isSame(byte[] expected, byte[] given) {
        return MessageDigest.isEqual(expected, given);
    }

    boolean isFresh(long timestamp, long now) {
        return Math.abs(now - timestamp) <= tolerance.toSeconds();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] hmac(Signed signed, byte[] key, byte[] body) {
        try {
            Mac mac = Mac.getInstance(signed.algorithm().mac());
            mac.init(new SecretKeySpec(key, signed.algorithm().mac()));
            mac.update(signed.prefix().getBytes(StandardCharsets.US_ASCII));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "This Java runtime has no " + signed.algorithm().mac() + ".", e);
        }
    }
}

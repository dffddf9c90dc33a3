package dev.semel.http.ingress;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The senders, signing as their documentation says, with code of their own. */
enum Sender {
    STANDARD("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "webhook-signature") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            byte[] key = Base64.getDecoder().decode(secret.substring(6));
            String signed = event.id + "." + event.time + ".";
            return map(
                    "webhook-id",
                    event.id,
                    "webhook-timestamp",
                    Long.toString(event.time),
                    "webhook-signature",
                    "v1," + base64(hmac("HmacSHA256", key, signed, event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            return WebhookSource.standardWebhooks("standard", secrets);
        }
    },
    SLACK("8f742231b10e8888abcd99yyyzzz85a5", "0f0e0d0c0b0a09080706050403020100", "X-Slack-Signature") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            String signed = "v0:" + event.time + ":";
            return map(
                    "X-Slack-Request-Timestamp",
                    Long.toString(event.time),
                    "X-Slack-Signature",
                    "v0=" + hex(hmac("HmacSHA256", utf8(secret), signed, event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            return WebhookSource.slack("slack", secrets);
        }

        @Override
        String body(String id) {
            return "{\"type\":\"event_callback\",\"event_id\":\"" + id + "\",\"customer\":\"c-1\"}";
        }
    },
    STRIPE("whsec_test_0123456789abcdef", "whsec_test_fedcba9876543210", "Stripe-Signature") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            String signed = event.time + ".";
            return map(
                    "Stripe-Signature",
                    "t=" + event.time + ",v1=" + hex(hmac("HmacSHA256", utf8(secret), signed, event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            return WebhookSource.stripe("stripe", secrets);
        }
    },
    GITHUB("It's a Secret to Everybody", "Another secret of this hook", "X-Hub-Signature-256") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            return map(
                    "X-GitHub-Delivery",
                    event.id,
                    "X-GitHub-Event",
                    "push",
                    "X-Hub-Signature-256",
                    "sha256=" + hex(hmac("HmacSHA256", utf8(secret), "", event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            return WebhookSource.github("github", secrets);
        }
    },
    SHOPIFY("hush-0123456789abcdef", "hush-fedcba9876543210", "X-Shopify-Hmac-Sha256") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            return map(
                    "X-Shopify-Webhook-Id",
                    event.id,
                    "X-Shopify-Hmac-Sha256",
                    base64(hmac("HmacSHA256", utf8(secret), "", event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            return WebhookSource.shopify("shopify", secrets);
        }
    },
    PLAIN("0123456789abcdef0123", "3210fedcba9876543210", "X-Signature") {
        @Override
        Map<String, String> headers(String secret, Event event) {
            return map("X-Signature", "sha512=" + hex(hmac("HmacSHA512", utf8(secret), "", event.body)));
        }

        @Override
        WebhookSource source(WebhookSecrets secrets) {
            HmacHeader header =
                    HmacHeader.of("X-Signature").withPrefix("sha512=").withAlgorithm(HmacHeader.Algorithm.SHA512);
            return WebhookSource.hmac("plain", secrets, header, EventKey.of(EventField.json("/id")));
        }
    };

    final String secret;
    final String otherSecret;
    final String signatureHeader;

    Sender(String secret, String otherSecret, String signatureHeader) {
        this.secret = secret;
        this.otherSecret = otherSecret;
        this.signatureHeader = signatureHeader;
    }

    /** @param time in seconds since 1970 */
    @SuppressWarnings("ArrayRecordComponent")
    record Event(String id, long time, byte[] body) {
        static Event of(String id, long time, String body) {
            return new Event(id, time, utf8(body));
        }
    }

    abstract Map<String, String> headers(String secret, Event event);

    abstract WebhookSource source(WebhookSecrets secrets);

    /** A body in which the sender names the event. */
    String body(String id) {
        return "{\"id\":\"" + id + "\",\"customer\":\"c-1\"}";
    }

    /** Whether it signs a time. */
    boolean signsTime() {
        return this == STANDARD || this == SLACK || this == STRIPE;
    }

    /** Changes the signature, without the text that tells its version. */
    Map<String, String> withSignature(Map<String, String> headers, Function<String, String> change) {
        Map<String, String> changed = new LinkedHashMap<>(headers);
        changed.computeIfPresent(signatureHeader, (name, value) -> change.apply(value));
        return changed;
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> map(String... pairs) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] hmac(String algorithm, byte[] key, String before, byte[] body) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            mac.update(utf8(before));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}

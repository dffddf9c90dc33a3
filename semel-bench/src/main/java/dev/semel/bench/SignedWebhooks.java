package dev.semel.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The webhooks of one sender, numbered from 0 and signed as Standard Webhooks: whole requests, made before they are needed. Those of
 * one round that were not sent are the first of the next, so the numbers that were sent have no gap. {@link #next} is thread-safe.
 */
final class SignedWebhooks {
    /** One in so many asks to be delivered where only some are. */
    static final int ONE_IN = 10;

    private static final byte[] KEY = "a secret of the bench, 32 bytes.".getBytes(StandardCharsets.US_ASCII);

    private final String path;
    private final Mac mac;
    private final AtomicInteger next = new AtomicInteger();
    private List<byte[]> ready = List.of();
    private int made;

    SignedWebhooks(String path) {
        this.path = path;
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no HMAC with SHA-256.", e);
        }
    }

    /** As a sender shows it. */
    static String secret() {
        return "whsec_" + Base64.getEncoder().encodeToString(KEY);
    }

    /** Makes requests until so many are ready. Not while others are sent. */
    void prepare(int count) {
        List<byte[]> all = new ArrayList<>(ready.subList(next.get(), ready.size()));
        long now = System.currentTimeMillis() / 1_000;
        while (all.size() < count) {
            all.add(request(made++, now));
        }
        ready = all;
        next.set(0);
    }

    byte[] next() {
        return ready.get(next.getAndIncrement());
    }

    /** How many were handed out; their numbers are lower than this. Not while others are sent. */
    int sent() {
        return made - ready.size() + next.get();
    }

    private byte[] request(int number, long now) {
        byte[] body = ("{\"number\":" + number + ",\"chosen\":\"" + (number % ONE_IN == 0 ? "yes" : "no")
                        + "\",\"type\":\"invoice.paid\",\"created\":\"2026-01-31T12:00:00Z\",\"livemode\":true,\"data\":{\"object\":{"
                        + "\"id\":\"in_1PqLw2eZvKYlo2C0a1b2c3d4\",\"customer\":\"cus_QhKxY7Zt2AbCdE\",\"currency\":\"eur\","
                        + "\"amount_due\":129900,\"amount_paid\":129900,\"attempt_count\":1,\"collection_method\":"
                        + "\"charge_automatically\",\"lines\":[{\"id\":\"il_1\",\"description\":\"Subscription, 12 seats\","
                        + "\"quantity\":12,\"unit_amount\":9900},{\"id\":\"il_2\",\"description\":\"Support\",\"quantity\":1,"
                        + "\"unit_amount\":11100}],\"metadata\":{\"account\":\"acme\",\"region\":\"eu-central-1\"}}}}")
                .getBytes(StandardCharsets.US_ASCII);
        String id = "msg_" + number;
        mac.update((id + "." + now + ".").getBytes(StandardCharsets.US_ASCII));
        String signature = Base64.getEncoder().encodeToString(mac.doFinal(body));
        ByteArrayOutputStream request = new ByteArrayOutputStream(body.length + 400);
        request.writeBytes(("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "User-Agent: bench\r\nwebhook-id: " + id + "\r\nwebhook-timestamp: " + now
                        + "\r\nwebhook-signature: v1," + signature + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        return request.toByteArray();
    }
}

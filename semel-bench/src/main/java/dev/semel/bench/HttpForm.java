package dev.semel.bench;

import java.nio.charset.StandardCharsets;

/** A POST in which only the key is left open. */
final class HttpForm {
    private final byte[] before;
    private final byte[] after;

    /** @param headers further ones, each with its line's end */
    HttpForm(String path, String headers, String body) {
        this.before = ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "Accept: application/json\r\n" + headers + "Idempotency-Key: ")
                .getBytes(StandardCharsets.US_ASCII);
        this.after = ("\r\nContent-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.UTF_8);
    }

    byte[] under(String key) {
        byte[] name = key.getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[before.length + name.length + after.length];
        System.arraycopy(before, 0, whole, 0, before.length);
        System.arraycopy(name, 0, whole, before.length, name.length);
        System.arraycopy(after, 0, whole, before.length + name.length, after.length);
        return whole;
    }
}

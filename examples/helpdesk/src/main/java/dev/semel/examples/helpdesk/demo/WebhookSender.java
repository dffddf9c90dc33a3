package dev.semel.examples.helpdesk.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Sends webhooks as the helpdesk does, signed. Thread-safe. */
public final class WebhookSender {
    private final String secret;
    private final HttpClient http = HttpClient.newHttpClient();

    public WebhookSender(String secret) {
        this.secret = secret;
    }

    /** Sends one to the middleware on this port of this machine; returns what it answers. */
    public HttpResponse<String> send(int port, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/webhooks"))
                        .header("Content-Type", "application/json")
                        .header("X-Helpdesk-Signature", "sha256=" + signature(body))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Sends one that must be acknowledged; returns what the ingress says of it. */
    public String deliver(int port, String body) throws Exception {
        HttpResponse<String> answer = send(port, body);
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("The webhook was answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.headers().firstValue("Semel-Ingress").orElse("");
    }

    private String signature(String body) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
    }
}

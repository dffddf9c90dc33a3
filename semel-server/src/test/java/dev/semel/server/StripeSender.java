package dev.semel.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Sends webhooks as Stripe does. */
final class StripeSender {
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    static String body(String id, String lane, int number) {
        return "{\"id\":\"" + id + "\",\"lane\":\"" + lane + "\",\"number\":" + number + "}";
    }

    HttpResponse<String> send(URI server, String body) throws IOException, InterruptedException {
        long time = Instant.now().getEpochSecond();
        HttpRequest request = HttpRequest.newBuilder(server.resolve(TestConfig.PATH))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", "application/json")
                .header("Stripe-Signature", "t=" + time + ",v1=" + hmac(time + "." + body))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The result header of a 200; empty when there was no answer, or another one. */
    Optional<String> acknowledged(URI server, String body) throws InterruptedException {
        try {
            HttpResponse<String> response = send(server, body);
            return response.statusCode() == 200 ? response.headers().firstValue("Semel-Ingress") : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String hmac(String signed) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(TestConfig.SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}

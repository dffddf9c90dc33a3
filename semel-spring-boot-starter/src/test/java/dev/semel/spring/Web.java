package dev.semel.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** A client of a test's server. */
record Web(int port, @Nullable String user, @Nullable String accepted) {
    /** Auto-configurations of Spring Security, which is there only because of other tests: their names in Spring Boot 4 and 3. */
    static final String SECURITY = "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration,"
            + "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    Web(int port, @Nullable String user) {
        this(port, user, null);
    }

    /** A client of the server that a test started. */
    static Web of(ApplicationContext context) {
        return new Web(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), null);
    }

    Web as(String name) {
        return new Web(port, name, accepted);
    }

    Web accepting(String types) {
        return new Web(port, user, types);
    }

    HttpResponse<String> send(String method, String path, @Nullable String key, @Nullable Object body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.toString()));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        if (accepted != null) {
            request.header("Accept", accepted);
        }
        if (user != null) {
            String credentials = user + ":secret";
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
        }
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> post(String path, @Nullable String key, @Nullable Object body) {
        return send("POST", path, key, body);
    }

    static String order(String id, String fault) {
        return "{\"id\":\"" + id + "\",\"fault\":\"" + fault + "\"}";
    }
}

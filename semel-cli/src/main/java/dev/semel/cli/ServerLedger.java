package dev.semel.cli;

import dev.semel.SemelException;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A ledger behind a server: every request goes to its API for operators, with the token of a person. Redirects are not followed. */
final class ServerLedger implements OperatedLedger {
    private static final Set<String> LOCAL = Set.of("127.0.0.1", "[::1]", "localhost");
    private static final Duration CONNECTING = Duration.ofSeconds(10);
    private static final Duration ANSWERING = Duration.ofMinutes(5);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECTING).build();
    private final String base;
    private final String token;

    /** @param url scheme, host and port of the server; a path before {@code /api/v1} is kept */
    ServerLedger(String url, String token) {
        URI uri = parsed(url);
        boolean usable = uri.getHost() != null
                && ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()))
                && uri.getUserInfo() == null
                && uri.getQuery() == null
                && uri.getFragment() == null;
        if (!usable) {
            throw new SemelException.Invalid(
                    "--url is invalid: give scheme, host and port of the server, such as https://semel.example:8443.");
        }
        if (uri.getScheme().equals("http") && !LOCAL.contains(uri.getHost())) {
            throw new SemelException.Invalid("--url " + uri.getScheme() + "://" + uri.getHost()
                    + " would send your token in clear text. Use https, or run the command on the server's machine.");
        }
        this.base = url.replaceFirst("/+$", "") + "/api/v1";
        this.token = token;
    }

    private static URI parsed(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new SemelException.Invalid("--url is invalid: it is no URL.", e);
        }
    }

    private HttpRequest.Builder request(String path, CommandInput parameters) {
        StringBuilder query = new StringBuilder();
        parameters
                .members()
                .forEach((name, value) -> query.append(query.isEmpty() ? '?' : '&')
                        .append(encoded(name))
                        .append('=')
                        .append(encoded(value.toString())));
        return HttpRequest.newBuilder(URI.create(base + path + query))
                .timeout(ANSWERING)
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json, application/x-ndjson, application/problem+json");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public Facts get(String path, CommandInput parameters) {
        return answer(request(path, parameters).GET(), false);
    }

    @Override
    public Facts post(String path, CommandInput body) {
        return answer(
                request(path, CommandInput.none())
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(
                                JsonMapper.shared().writeValueAsBytes(body.members()))),
                true);
    }

    @Override
    public Facts sendLines(String path, Stream<String> lines) {
        Iterator<InputStream> each = lines.<InputStream>map(
                        line -> new ByteArrayInputStream((line + "\n").getBytes(StandardCharsets.UTF_8)))
                .iterator();
        Enumeration<InputStream> all = new Enumeration<>() {
            @Override
            public boolean hasMoreElements() {
                return each.hasNext();
            }

            @Override
            public InputStream nextElement() {
                return each.next();
            }
        };
        return answer(
                request(path, CommandInput.none())
                        .header("Content-Type", "application/x-ndjson")
                        .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new SequenceInputStream(all))),
                false);
    }

    @Override
    public void readLines(String path, CommandInput parameters, Consumer<Map<String, Object>> out) {
        HttpResponse<InputStream> response = send(request(path, parameters).GET(), false);
        try (InputStream in = response.body()) {
            if (response.statusCode() / 100 != 2) {
                throw problem(response.statusCode(), in.readNBytes(1 << 20));
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                out.accept(members(line.getBytes(StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            throw new SemelException.StoreUnavailable(
                    "The answer of " + base + " broke off (" + e + "); it is not complete. Run the command again.", e);
        }
    }

    /** The nodes of the server run them. */
    @Override
    public JobWorkers runJobs() {
        return () -> {};
    }

    @Override
    public void close() {
        // The client has nothing to close before Java 21, and its threads are daemons.
    }

    private Facts answer(HttpRequest.Builder request, boolean acts) {
        HttpResponse<InputStream> response = send(request, acts);
        try (InputStream in = response.body()) {
            byte[] body = in.readAllBytes();
            if (response.statusCode() / 100 != 2) {
                throw problem(response.statusCode(), body);
            }
            return new Facts(members(body));
        } catch (IOException e) {
            throw lost(acts, e);
        }
    }

    private HttpResponse<InputStream> send(HttpRequest.Builder request, boolean acts) {
        try {
            return client.send(request.build(), BodyHandlers.ofInputStream());
        } catch (ConnectException e) {
            throw new SemelException.StoreUnavailable(
                    "No connection to the server at " + base + " (" + e + "). Nothing was changed.", e);
        } catch (IOException e) {
            throw lost(acts, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw lost(acts, e);
        }
    }

    private SemelException lost(boolean acts, Exception why) {
        return acts
                ? new SemelException.OutcomeUnknown(
                        "The server at " + base + " did not answer (" + why
                                + "): whether it did what was asked is unknown. Run the same command again.",
                        why)
                : new SemelException.StoreUnavailable(
                        "The server at " + base + " did not answer (" + why + "). Nothing was changed.", why);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> members(byte[] json) {
        try {
            return JsonMapper.shared().readValue(json, Map.class);
        } catch (JacksonException e) {
            throw new SemelException.Invalid(
                    "The answer of " + base + " is not JSON: is it a Semel server, and of this version?", e);
        }
    }

    private SemelException problem(int status, byte[] body) {
        try {
            JsonNode problem = JsonMapper.shared().readTree(body);
            if (problem != null && problem.has("detail")) {
                List<String> faults = new ArrayList<>();
                problem.path("faults").forEach(fault -> faults.add(fault.asString("")));
                return AnsweredProblem.of(status, problem.path("detail").asString(""), faults);
            }
        } catch (JacksonException e) {
            // As below: somebody else answered.
        }
        return AnsweredProblem.of(
                status,
                "HTTP " + status + " of " + base + " without a reason: is it a Semel server with operators?",
                Collections.emptyList());
    }
}

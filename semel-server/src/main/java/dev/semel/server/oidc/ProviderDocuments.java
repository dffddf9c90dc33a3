package dev.semel.server.oidc;

import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.JSONObjectUtils;
import dev.semel.server.oidc.OidcSettings.ProviderAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Fetches what an identity provider publishes. Bounded in time and size; redirects are not followed. */
final class ProviderDocuments {
    /** For all of it. */
    static final Duration LONGEST = Duration.ofSeconds(5);

    static final int LARGEST = 256 << 10;
    static final int MOST_KEYS = 64;

    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final int SMALLEST_RSA = 2_048;
    private static final String DISCOVERY = "/.well-known/openid-configuration";
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private final ProviderAddress provider;

    ProviderDocuments(ProviderAddress provider) {
        this.provider = provider;
    }

    /** A document that cannot be used. The message has nothing of it. */
    private static final class UnusableDocument extends IOException {
        private static final long serialVersionUID = 1;

        UnusableDocument(String message) {
            super(message);
        }
    }

    /** The usable keys; fails after {@link #LONGEST} at the latest. */
    CompletableFuture<JWKSet> keys() {
        URI given = provider.jwksUrl();
        CompletableFuture<JWKSet> keys = (given == null
                        ? fetch(URI.create(withoutSlash(provider.issuer()) + DISCOVERY))
                                .thenApply(this::keysUrl)
                        : CompletableFuture.completedFuture(given))
                .thenCompose(ProviderDocuments::fetch)
                .thenApply(ProviderDocuments::usable);
        return keys.orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String withoutSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static CompletableFuture<String> fetch(URI url) {
        HttpRequest request = HttpRequest.newBuilder(url)
                .timeout(LONGEST)
                .header("Accept", "application/json")
                .build();
        CompletableFuture<HttpResponse<byte[]>> response =
                CLIENT.sendAsync(request, info -> new CappedBody(info.statusCode() == 200 ? LARGEST : 0));
        // The timeout of a request ends with the headers of its response; a body that trickles is cut off here.
        CompletableFuture.delayedExecutor(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> response.cancel(true));
        return response.thenApply(ProviderDocuments::text);
    }

    private static String text(HttpResponse<byte[]> response) {
        if (response.statusCode() != 200) {
            throw new CompletionException(new UnusableDocument("it answered HTTP " + response.statusCode()));
        }
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    /** Of the provider's metadata, which must be its own. */
    private URI keysUrl(String metadata) {
        try {
            Map<String, Object> object = JSONObjectUtils.parse(metadata);
            if (!provider.issuer().equals(JSONObjectUtils.getString(object, "issuer"))) {
                throw new UnusableDocument("its metadata names another issuer");
            }
            URI url = JSONObjectUtils.getURI(object, "jwks_uri");
            String problem = url == null ? "is missing" : ProviderUrl.problem(url, provider.loopbackHttp());
            if (url == null || !problem.isEmpty()) {
                throw new UnusableDocument("the jwks_uri of its metadata " + problem);
            }
            return url;
        } catch (ParseException e) {
            throw new CompletionException(new UnusableDocument("its metadata is not JSON with issuer and jwks_uri"));
        } catch (UnusableDocument e) {
            throw new CompletionException(e);
        }
    }

    /** Public keys that are strong enough; symmetric and unknown ones are left out. */
    private static JWKSet usable(String document) {
        try {
            List<JWK> all = JWKSet.parse(document).getKeys();
            if (all.size() > MOST_KEYS) {
                throw new UnusableDocument("it has more than " + MOST_KEYS + " keys");
            }
            List<JWK> usable = all.stream()
                    .filter(each -> each instanceof ECKey || each instanceof RSAKey && each.size() >= SMALLEST_RSA)
                    .map(JWK::toPublicJWK)
                    .toList();
            if (usable.isEmpty()) {
                throw new UnusableDocument("it has no RSA key of 2048 bits and no EC key");
            }
            return new JWKSet(usable);
        } catch (ParseException e) {
            throw new CompletionException(new UnusableDocument("its keys are not a JSON Web Key Set"));
        } catch (UnusableDocument e) {
            throw new CompletionException(e);
        }
    }

    /** For the log. */
    static String reason(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof UnusableDocument || cause instanceof CappedBody.TooLarge) {
            return String.valueOf(cause.getMessage());
        }
        if (cause instanceof HttpTimeoutException
                || cause instanceof CancellationException
                || cause instanceof java.util.concurrent.TimeoutException) {
            return "timed out after " + LONGEST.toSeconds() + " s";
        }
        return cause instanceof ConnectException
                ? "connection refused"
                : cause == null ? "no keys" : cause.getClass().getSimpleName();
    }
}

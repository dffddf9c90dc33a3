package dev.semel.server.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.console.access.Role;
import dev.semel.server.oidc.OidcSettings.ClaimMapping;
import dev.semel.server.oidc.OidcSettings.ProviderAddress;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An identity provider: a real HTTP server on loopback that publishes its keys, counts who asks for them, and signs tokens. */
public final class TestProvider implements AutoCloseable {
    public static final String AUDIENCE = "semel";

    /** Keys take long to make. */
    private static final List<RSAKey> KEYS = List.of(newKey("key-1", 2_048), newKey("key-2", 2_048));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger keyRequests = new AtomicInteger();
    private final List<RSAKey> published = new CopyOnWriteArrayList<>(List.of(KEYS.get(0)));
    private final int port;
    private volatile HttpServer server;
    private volatile Answer answer = TestProvider::answerKeys;

    /** How it answers requests for its keys. */
    public interface Answer {
        void to(TestProvider provider, HttpExchange exchange) throws IOException;
    }

    public TestProvider() {
        this.server = start(0);
        this.port = server.getAddress().getPort();
    }

    public static RSAKey newKey(String id, int bits) {
        try {
            return new RSAKeyGenerator(bits, bits < 2_048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpServer start(int at) {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 100);
            made.createContext("/realm/keys", exchange -> {
                keyRequests.incrementAndGet();
                answer.to(this, exchange);
            });
            made.createContext(
                    "/realm/.well-known/openid-configuration",
                    exchange -> send(
                            exchange, 200, "{\"issuer\":\"" + issuer() + "\",\"jwks_uri\":\"" + issuer() + "/keys\"}"));
            made.setExecutor(threads);
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    static void answerKeys(TestProvider provider, HttpExchange exchange) throws IOException {
        send(exchange, 200, new JWKSet(new ArrayList<>(provider.published)).toString());
    }

    public String issuer() {
        return "http://127.0.0.1:" + port + "/realm";
    }

    void answers(Answer next) {
        answer = next;
    }

    public int keyRequests() {
        return keyRequests.get();
    }

    RSAKey key() {
        return KEYS.get(0);
    }

    RSAKey nextKey() {
        return KEYS.get(1);
    }

    /** From now on these are the keys that it publishes. */
    void publish(RSAKey... keys) {
        published.clear();
        published.addAll(List.of(keys));
    }

    public void stop() {
        server.stop(0);
    }

    public void startAgain() {
        server = start(port);
    }

    /** Group ops: operator of the tenant in the claim org; group admins: admin of all tenants; group acme-viewers: viewer of acme. */
    public OidcSettings settings() {
        return new OidcSettings(
                new ProviderAddress(issuer(), null, true),
                List.of(AUDIENCE),
                Set.copyOf(OidcSettings.USUAL_ALGORITHMS),
                Duration.ofSeconds(60),
                new ClaimMapping(
                        "sub",
                        "/realm_access/roles",
                        "org",
                        List.of(
                                new RoleGrant("admins", Role.ADMIN, null, true),
                                new RoleGrant("ops", Role.OPERATOR, null, false),
                                new RoleGrant("acme-viewers", Role.VIEWER, dev.semel.Tenant.of("acme"), false))));
    }

    /** Valid for five minutes by this clock. */
    public JWTClaimsSet.Builder claims(TimeSource time, String... groups) {
        return new JWTClaimsSet.Builder()
                .issuer(issuer())
                .audience(AUDIENCE)
                .subject("alice@example.com")
                .claim("org", "acme")
                .claim("realm_access", java.util.Map.of("roles", List.of(groups)))
                .expirationTime(new Date(time.millis() + 300_000));
    }

    public String token(TimeSource time, String... groups) {
        return signed(claims(time, groups).build(), key());
    }

    public String tokenOf(String name, TimeSource time, String... groups) {
        return signed(claims(time, groups).subject(name).build(), key());
    }

    /** The same settings for a provider whose keys are nowhere. */
    public static OidcSettings unreachable(OidcSettings settings) {
        ProviderAddress address =
                new ProviderAddress(settings.provider().issuer(), java.net.URI.create("http://127.0.0.1:1/keys"), true);
        return new OidcSettings(
                address, settings.audiences(), settings.algorithms(), settings.tolerance(), settings.claims());
    }

    static String signed(JWTClaimsSet claims, RSAKey key) {
        return signed(claims, key, header -> header);
    }

    static String signed(JWTClaimsSet claims, RSAKey key, UnaryOperator<JWSHeader.Builder> header) {
        try {
            JWSHeader.Builder builder = new JWSHeader.Builder(JWSAlgorithm.RS256)
                    .type(JOSEObjectType.JWT)
                    .keyID(key.getKeyID());
            SignedJWT token = new SignedJWT(header.apply(builder).build(), claims);
            token.sign(new RSASSASigner(key.toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance())));
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stop();
        threads.shutdownNow();
    }
}

package dev.semel.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.RSAKey;
import dev.semel.server.oidc.IdentityProvider.Verification;
import dev.semel.server.oidc.IdentityProvider.Verification.Refused;
import dev.semel.server.oidc.IdentityProvider.Verification.Unverifiable;
import dev.semel.server.oidc.IdentityProvider.Verification.Verified;
import dev.semel.testkit.Await;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The keys of a provider that rotates them, is down, slow or hostile, and of clients that invent keys. */
@Timeout(120)
class ProviderKeysTest {
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final TestProvider provider = new TestProvider();
    private final ExecutorService clients = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        clients.shutdownNow();
        provider.close();
    }

    private IdentityProvider open() {
        return IdentityProvider.open(provider.settings(), time);
    }

    private String token() {
        return provider.token(time, "ops");
    }

    private String tokenOf(RSAKey key) {
        return TestProvider.signed(provider.claims(time, "ops").build(), key);
    }

    /** Signed by a key that nobody published. */
    private String tokenOfKey(String id) {
        return TestProvider.signed(
                provider.claims(time, "ops").build(), provider.nextKey(), header -> header.keyID(id));
    }

    @Test
    void inventedKeysCauseNoMoreThanOneRequestInTenSeconds() throws Exception {
        IdentityProvider verifier = open();
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        assertThat(provider.keyRequests()).isEqualTo(1);
        String good = token();
        String invented = tokenOfKey("invented");
        for (int round = 1; round <= 3; round++) {
            time.advance(ProviderKeys.PAUSE);
            List<Future<Verification>> bad = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                bad.add(clients.submit(() -> verifier.verify(invented)));
            }
            assertThat(verifier.verify(good)).isInstanceOf(Verified.class);
            for (Future<Verification> each : bad) {
                assertThat(each.get()).isInstanceOf(Refused.class);
            }
            assertThat(provider.keyRequests()).isEqualTo(1 + round);
        }
    }

    @Test
    void newKeyOfTheProviderIsFetchedWhenItIsFirstSeenAndARemovedOneIsForgotten() {
        IdentityProvider verifier = open();
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        String old = token();
        provider.publish(provider.key(), provider.nextKey());
        time.advance(ProviderKeys.PAUSE);
        assertThat(verifier.verify(tokenOf(provider.nextKey()))).isInstanceOf(Verified.class);
        assertThat(verifier.verify(old)).as("both are published").isInstanceOf(Verified.class);
        provider.publish(provider.nextKey());
        time.advance(ProviderKeys.STALE);
        assertThat(verifier.verify(token())).as("after a quiet time").isInstanceOf(Refused.class);
        assertThat(verifier.verify(tokenOf(provider.nextKey()))).isInstanceOf(Verified.class);
    }

    @Test
    void olderKeysAreFetchedAgainInTheBackground() {
        IdentityProvider verifier = open();
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        CountDownLatch slow = new CountDownLatch(1);
        provider.answers((self, exchange) -> {
            await(slow);
            TestProvider.answerKeys(self, exchange);
        });
        time.advance(ProviderKeys.FRESH);
        assertThat(verifier.verify(token())).as("does not wait").isInstanceOf(Verified.class);
        Await.until("the keys are asked for", () -> provider.keyRequests() == 2);
        slow.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void providerThatIsDownAtTheStartIsUsedAsSoonAsItIsThere() {
        provider.stop();
        IdentityProvider verifier = open();
        Await.until("the first fetch has failed", () -> verifier.verify(token()).equals(new Unverifiable()));
        provider.startAgain();
        assertThat(verifier.verify(token()))
                .as("not earlier than in ten seconds")
                .isEqualTo(new Unverifiable());
        time.advance(ProviderKeys.PAUSE);
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
    }

    @Test
    void knownKeysAreUsedForABoundedTimeWhileTheProviderIsDown() {
        IdentityProvider verifier = open();
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        provider.stop();
        time.advance(ProviderKeys.STALE);
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        time.advance(ProviderKeys.LONGEST_OUTAGE.minus(ProviderKeys.STALE).minusMinutes(1));
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        assertThat(verifier.verify(tokenOfKey("other"))).isInstanceOf(Refused.class);
        time.advance(Duration.ofMinutes(2));
        assertThat(verifier.verify(token())).isEqualTo(new Unverifiable());
        provider.startAgain();
        time.advance(ProviderKeys.PAUSE);
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
    }

    @Test
    void tokensOfKnownKeysDoNotWaitForAProviderThatHangs() throws Exception {
        IdentityProvider verifier = open();
        assertThat(verifier.verify(token())).isInstanceOf(Verified.class);
        CountDownLatch hanging = new CountDownLatch(1);
        provider.answers((self, exchange) -> await(hanging));
        time.advance(ProviderKeys.PAUSE);
        String invented = tokenOfKey("invented");
        List<Future<Verification>> bad = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            bad.add(clients.submit(() -> verifier.verify(invented)));
        }
        Await.until(
                "all but those that may wait have their answer",
                () -> bad.stream().filter(each -> !each.isDone()).count() <= ProviderKeys.MOST_WAITING);
        assertThat(bad).as("some do wait").anyMatch(each -> !each.isDone());
        String good = token();
        for (int i = 0; i < 100; i++) {
            assertThat(verifier.verify(good)).isInstanceOf(Verified.class);
        }
        for (Future<Verification> each : bad) {
            assertThat(each.get()).as("bounded by the timeout of the fetch").isInstanceOf(Refused.class);
        }
        hanging.countDown();
    }

    @Test
    void hostileAnswersOfAProviderAreNotUsed() {
        List<TestProvider.Answer> hostile = List.of(
                (self, exchange) -> TestProvider.send(exchange, 200, "{\"keys\":[]}"),
                (self, exchange) -> TestProvider.send(exchange, 200, "<html>"),
                (self, exchange) -> TestProvider.send(exchange, 500, "{}"),
                (self, exchange) -> TestProvider.send(
                        exchange, 200, "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"key-1\",\"k\":\"c2VjcmV0\"}]}"),
                (self, exchange) -> {
                    exchange.getResponseHeaders().add("Location", self.issuer() + "/elsewhere");
                    TestProvider.send(exchange, 302, "");
                },
                (self, exchange) -> {
                    exchange.sendResponseHeaders(200, 0);
                    byte[] much = new byte[8_192];
                    java.util.Arrays.fill(much, (byte) ' ');
                    for (int i = 0; i < 10_000; i++) {
                        exchange.getResponseBody().write(much);
                    }
                });
        for (TestProvider.Answer answer : hostile) {
            provider.answers(answer);
            assertThat(open().verify(token())).isEqualTo(new Unverifiable());
        }
    }

    @Test
    void bodyThatTricklesIsCutOff() {
        provider.answers((self, exchange) -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
        });
        assertThat(open().verify(token())).isEqualTo(new Unverifiable());
    }

    @Test
    void metadataMustBeOfTheIssuerItself() {
        OidcSettings settings = provider.settings();
        OidcSettings other = new OidcSettings(
                new OidcSettings.ProviderAddress(settings.provider().issuer() + "/", null, true),
                settings.audiences(),
                settings.algorithms(),
                settings.tolerance(),
                settings.claims());
        IdentityProvider verifier = IdentityProvider.open(other, time);
        String token = TestProvider.signed(
                provider.claims(time, "ops")
                        .issuer(settings.provider().issuer() + "/")
                        .build(),
                provider.key());
        assertThat(verifier.verify(token)).isEqualTo(new Unverifiable());
        assertThat(provider.keyRequests()).isZero();
    }
}

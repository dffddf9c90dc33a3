package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.ingress.HmacHeader.Algorithm;
import dev.semel.http.ingress.HmacHeader.Encoding;
import dev.semel.http.ingress.Sender.Event;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures by themselves: published and independently computed examples, and everything that is not a valid signature. */
class SignatureTest {
    private static final long NOW = 1_700_000_000;

    /** Slack's documentation, "Verifying requests from Slack". */
    static final String SLACK_COMMAND = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
            + "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
            + "&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J"
            + "%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
            + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";

    static SignatureCheck check(Sender sender, String... secrets) {
        WebhookSource.Signing signing =
                sender.source(WebhookSecrets.of(secrets)).signing();
        return new SignatureCheck(signing.scheme(), signing.secrets(), signing.tolerance());
    }

    private static void accepts(WebhookSource source, Map<String, String> headers, String body, long now) {
        WebhookSource.Signing signing = source.signing();
        SignatureCheck check = new SignatureCheck(signing.scheme(), signing.secrets(), signing.tolerance());
        assertThat(source.faults()).isEmpty();
        assertThatCode(() -> check.demandValid(FakeRequests.of(headers, Sender.utf8(body), now)))
                .doesNotThrowAnyException();
    }

    private static IngressCode refusal(SignatureCheck check, ReceivedRequest request) {
        try {
            check.demandValid(request);
        } catch (Refused e) {
            return e.code();
        }
        throw new AssertionError("it was accepted");
    }

    @Test
    void examplesThatSendersPublishAreAccepted() {
        accepts(
                WebhookSource.slack("slack", WebhookSecrets.of("8f742231b10e8888abcd99yyyzzz85a5")),
                Map.of(
                        "X-Slack-Request-Timestamp",
                        "1531420618",
                        "X-Slack-Signature",
                        "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"),
                SLACK_COMMAND,
                1531420618);
        accepts(
                WebhookSource.github("github", WebhookSecrets.of("It's a Secret to Everybody")),
                Map.of(
                        "X-Hub-Signature-256",
                        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
                "Hello, World!",
                NOW);
        accepts(
                WebhookSource.standardWebhooks("any", WebhookSecrets.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")),
                Map.of(
                        "webhook-id",
                        "msg_p5jXN8AQM9LWM0D4loKWxJek",
                        "webhook-timestamp",
                        "1614265330",
                        "webhook-signature",
                        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
                "{\"test\": 2432232314}",
                1614265330);
    }

    /** From Shopify's tests of its Ruby on Rails library (shopify_app). Their secrets are shorter than the endpoint allows. */
    @Test
    void examplesOfTheTestsOfShopifysLibraryAreAccepted() {
        Map<String, String> signatures = Map.of(
                "secret", "yCGX/RrK4fcuNtr3ztk5tQGsOBjcAzHpGLdMUrbV8yI=",
                "old_secret", "XqRcjrSv57VACn6apEO9znyu/wkN1VC7QxdSPwK3Hzs=");
        signatures.forEach((secret, signature) -> {
            WebhookSource.Signing signing =
                    WebhookSource.shopify("shopify", WebhookSecrets.of(secret)).signing();
            SignatureCheck check = new SignatureCheck(signing.scheme(), signing.secrets(), signing.tolerance());
            Map<String, String> headers = Map.of("X-Shopify-Hmac-Sha256", signature);
            assertThatCode(() -> check.demandValid(FakeRequests.of(headers, Sender.utf8("foo=anything"), NOW)))
                    .doesNotThrowAnyException();
            assertThat(refusal(check, FakeRequests.of(headers, Sender.utf8("foo=anythinG"), NOW)))
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        });
    }

    /**
     * Computed with {@code openssl dgst -hmac}. Stripe publishes no signature together with its secret and body: the example of its
     * documentation has neither, and the tests of its Java library compute theirs as they run ({@link SenderLibrariesTest} uses that library).
     */
    @Test
    void examplesThatOpensslComputedAreAccepted() {
        accepts(
                WebhookSource.stripe("stripe", WebhookSecrets.of("whsec_test_0123456789abcdef")),
                Map.of(
                        "Stripe-Signature",
                        "t=1492774577,v1=4b1687590af43526064f2715f5fdf2c0839c41f3dfcc28167c0c5ea48c491733"),
                "{\"id\":\"evt_1\",\"object\":\"event\"}",
                1492774577);
        accepts(
                WebhookSource.shopify("shopify", WebhookSecrets.of("hush-0123456789abcdef")),
                Map.of("X-Shopify-Hmac-Sha256", "c1Pq8g7ihm1vNeZWmWwLrzrvf9g0at/CBsts7cnhJuU="),
                "{\"id\":820982911946154508,\"email\":\"jon@example.com\"}",
                NOW);
        String hex = "ed7fd422949a3853deef28daec35518d9591c0bd6c13df19e882ded0863acb62"
                + "e6721f81ef000eb9203c414149377e2cfd1064a9d0b487421f49fe7307f2a947";
        HmacHeader header = HmacHeader.of("X-Sig").withAlgorithm(Algorithm.SHA512);
        WebhookSecrets secrets = WebhookSecrets.of("0123456789abcdef0123");
        accepts(
                WebhookSource.hmac("crm", secrets, header.withPrefix("sha512="), EventKey.bodyDigest()),
                Map.of("X-Sig", "sha512=" + hex.toUpperCase(Locale.ROOT)),
                "{\"id\":\"e-1\"}",
                NOW);
        accepts(
                WebhookSource.hmac("crm", secrets, header.withEncoding(Encoding.BASE64), EventKey.bodyDigest()),
                Map.of(
                        "X-Sig",
                        "7X/UIpSaOFPe7yja7DVRjZWRwL1sE98Z6ILe0IY6y2Lmch+B7wAOuSA8QUFJN34s/RBkqdC0h0IfSf5zB/KpRw=="),
                "{\"id\":\"e-1\"}",
                NOW);
    }

    @ParameterizedTest
    @EnumSource
    void f2_signatureThatIsMissingEmptyTruncatedLongerOrOfAnotherVersionIsRefused(Sender sender) {
        SignatureCheck check = check(sender, sender.secret);
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        Map<String, String> headers = sender.headers(sender.secret, event);
        assertThatCode(() -> check.demandValid(FakeRequests.of(headers, event.body(), NOW)))
                .doesNotThrowAnyException();
        List<Function<String, String>> changes = List.of(
                value -> "",
                value -> " ",
                value -> value.substring(0, value.length() - 1),
                value -> value.substring(0, value.length() - 2),
                value -> value + "0",
                value -> value + "=",
                value -> value.replace("v1", "v2").replace("v0=", "v3=").replace("sha", "md"),
                value -> value.substring(0, Math.max(8, value.length() / 2)),
                value -> value.replaceAll("[0-9a-zA-Z+/]+=*$", ""),
                value -> "sha1=" + value,
                value -> value.replace(value.substring(value.length() / 2, value.length() / 2 + 1), "!"));
        for (Function<String, String> change : changes) {
            Map<String, String> changed = sender.withSignature(headers, change);
            if (sender == Sender.SHOPIFY && changed.equals(headers)) {
                continue;
            }
            assertThat(refusal(check, FakeRequests.of(changed, event.body(), NOW)))
                    .as(changed.toString())
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        }
        headers.remove(sender.signatureHeader);
        assertThat(refusal(check, FakeRequests.of(headers, event.body(), NOW)))
                .isEqualTo(IngressCode.SIGNATURE_INVALID);
    }

    @ParameterizedTest
    @EnumSource
    void f2_signingHeaderThatIsSentTwiceIsRefused(Sender sender) {
        SignatureCheck check = check(sender, sender.secret);
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        Map<String, String> headers = sender.headers(sender.secret, event);
        for (String twice :
                sender.source(WebhookSecrets.none()).signing().scheme().headers()) {
            Map<String, List<String>> all = new TreeMap<>();
            headers.forEach((name, value) -> all.put(name, List.of(value)));
            all.put(twice, List.of(headers.get(twice), headers.get(twice)));
            assertThat(refusal(check, FakeRequests.withAll(all, "/", event.body(), NOW)))
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        }
    }

    @Test
    void f2_manySignaturesCostOneHmacForEachSecretAndTooManyAreRefusedUnread() throws Refused {
        AtomicInteger compared = new AtomicInteger();
        Sender sender = Sender.STANDARD;
        SignatureCheck check =
                new SignatureCheck(
                        new SignatureScheme.Standard(), WebhookSecrets.of(sender.secret), Duration.ofSeconds(300)) {
                    @Override
                    boolean isSame(byte[] expected, byte[] given) {
                        compared.incrementAndGet();
                        return super.isSame(expected, given);
                    }
                };
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        Map<String, String> headers = sender.headers(sender.secret, event);
        Map<String, String> few = sender.withSignature(headers, value -> "v1,AAAA v1a,x ".repeat(15) + value);
        check.demandValid(FakeRequests.of(few, event.body(), NOW));
        assertThat(compared).hasValue(16);
        for (int many : List.of(33, 100, 100_000)) {
            Map<String, String> all = sender.withSignature(headers, value -> "v1,AAAA ".repeat(many) + value);
            assertThat(refusal(check, FakeRequests.of(all, event.body(), NOW)))
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
            Map<String, String> stripe = new LinkedHashMap<>();
            stripe.put("Stripe-Signature", "t=1,".repeat(many) + "v1=00");
            assertThat(refusal(check(Sender.STRIPE, Sender.STRIPE.secret), FakeRequests.of(stripe, event.body(), NOW)))
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        }
        assertThat(compared).hasValue(16);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "+1700000000",
                "01700000000",
                "1700000000.0",
                "1.7e9",
                "0x6553f100",
                "1700000000 ",
                "1700000000,",
                "1700000000:",
                "\u0661\u0667\u0660\u0660",
                "9999999999999",
                "99999999999999999999999",
                "NaN",
                "1700000000\u00a0"
            })
    void f2_timestampThatIsNotAPlainNumberOfSecondsIsRefused(String time) {
        for (Sender sender : List.of(Sender.STANDARD, Sender.SLACK, Sender.STRIPE)) {
            Event event = Event.of("e-1", NOW, sender.body("e-1"));
            Map<String, String> headers = new LinkedHashMap<>(sender.headers(sender.secret, event));
            headers.replaceAll((name, value) -> value.replace(Long.toString(NOW), time));
            if (sender == Sender.STRIPE && time.endsWith(",")) {
                continue; // an empty part behind the time
            }
            assertThat(refusal(check(sender, sender.secret), FakeRequests.of(headers, event.body(), NOW)))
                    .as(sender + " " + time)
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        }
    }

    @Test
    void f2_idThatContainsASeparatorIsRefusedAlthoughItsSignatureFits() {
        Sender sender = Sender.STANDARD;
        for (String id : List.of("a.b", ".", "a b", "a".repeat(256))) {
            Event event = Event.of(id, NOW, sender.body("e-1"));
            Map<String, String> headers = sender.headers(sender.secret, event);
            assertThat(refusal(check(sender, sender.secret), FakeRequests.of(headers, event.body(), NOW)))
                    .isEqualTo(IngressCode.SIGNATURE_INVALID);
        }
    }

    @ParameterizedTest
    @EnumSource
    void f5_everyLiveSecretVerifiesAndNoOther(Sender sender) {
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        ReceivedRequest old = FakeRequests.of(sender.headers(sender.secret, event), event.body(), NOW);
        ReceivedRequest young = FakeRequests.of(sender.headers(sender.otherSecret, event), event.body(), NOW);
        SignatureCheck both = check(sender, sender.otherSecret, sender.secret);
        assertThatCode(() -> both.demandValid(old)).doesNotThrowAnyException();
        assertThatCode(() -> both.demandValid(young)).doesNotThrowAnyException();
        assertThat(refusal(check(sender, sender.otherSecret), old)).isEqualTo(IngressCode.SIGNATURE_INVALID);
        assertThat(refusal(check(sender, sender.secret), young)).isEqualTo(IngressCode.SIGNATURE_INVALID);
    }

    @ParameterizedTest
    @EnumSource
    void f4_signedTimeIsAcceptedUpToTheToleranceEitherWayAndNotBeyond(Sender sender) {
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        Map<String, String> headers = sender.headers(sender.secret, event);
        SignatureCheck check = check(sender, sender.secret);
        for (long away : List.of(0L, 299L, 300L, -299L, -300L)) {
            assertThatCode(() -> check.demandValid(FakeRequests.of(headers, event.body(), NOW + away)))
                    .doesNotThrowAnyException();
        }
        if (sender.signsTime()) {
            for (long away : List.of(301L, -301L, 86_400L, -NOW)) {
                assertThat(refusal(check, FakeRequests.of(headers, event.body(), NOW + away)))
                        .isEqualTo(IngressCode.TIMESTAMP_REJECTED);
            }
        }
    }

    @Test
    void withoutSecretsNothingVerifies() {
        SignatureCheck check = check(Sender.SLACK);
        Event event = Event.of("e-1", NOW, Sender.SLACK.body("e-1"));
        assertThat(check.isPossible()).isFalse();
        assertThat(refusal(check, FakeRequests.of(Sender.SLACK.headers("x", event), event.body(), NOW)))
                .isEqualTo(IngressCode.SIGNATURE_INVALID);
    }

    /** The bugs of which the tests above must be able to tell. */
    @Test
    void plantedPrefixComparisonIsCaughtByTheTruncatedSignature() {
        Sender sender = Sender.SLACK;
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        Map<String, String> truncated = sender.withSignature(
                sender.headers(sender.secret, event), value -> value.substring(0, value.length() - 2));
        SignatureCheck broken =
                new SignatureCheck(
                        new SignatureScheme.Slack(), WebhookSecrets.of(sender.secret), Duration.ofSeconds(300)) {
                    @Override
                    boolean isSame(byte[] expected, byte[] given) {
                        return new String(expected, StandardCharsets.US_ASCII)
                                .startsWith(new String(given, StandardCharsets.US_ASCII));
                    }
                };
        assertThatThrownBy(() -> refusal(broken, FakeRequests.of(truncated, event.body(), NOW)))
                .hasMessage("it was accepted");
        assertThat(refusal(check(sender, sender.secret), FakeRequests.of(truncated, event.body(), NOW)))
                .isEqualTo(IngressCode.SIGNATURE_INVALID);
    }

    @Test
    void plantedMissingToleranceIsCaughtByTheLateReplay() {
        Sender sender = Sender.STRIPE;
        Event event = Event.of("e-1", NOW, sender.body("e-1"));
        ReceivedRequest late = FakeRequests.of(sender.headers(sender.secret, event), event.body(), NOW + 301);
        SignatureCheck broken =
                new SignatureCheck(
                        new SignatureScheme.Stripe(), WebhookSecrets.of(sender.secret), Duration.ofSeconds(300)) {
                    @Override
                    boolean isFresh(long timestamp, long now) {
                        return true;
                    }
                };
        assertThatThrownBy(() -> refusal(broken, late)).hasMessage("it was accepted");
        assertThat(refusal(check(sender, sender.secret), late)).isEqualTo(IngressCode.TIMESTAMP_REJECTED);
    }
}

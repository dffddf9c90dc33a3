package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import com.slack.api.app_backend.SlackSignature;
import com.standardwebhooks.exceptions.WebhookSigningException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.stripe.exception.SignatureVerificationException;
import com.stripe.net.Webhook.Signature;
import com.stripe.net.Webhook.Util;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.ingress.Sender.Event;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Signatures of the senders' own libraries at a real endpoint; and the libraries as judges of the signatures that our tests make. */
@Timeout(300)
class SenderLibrariesTest {
    /** Some libraries judge by the wall clock, five minutes either way. */
    private static final long NOW = Instant.now().getEpochSecond();

    private static final Duration LONG_AGO = Duration.ofHours(1);

    /** A sender's library. */
    enum Library {
        STRIPE(Sender.STRIPE) {
            @Override
            Map<String, String> sign(String secret, Event event) throws GeneralSecurityException {
                String hmac = Util.computeHmacSha256(secret, event.time() + "." + text(event));
                return Map.of("Stripe-Signature", "t=" + event.time() + ",v1=" + hmac);
            }

            @Override
            boolean accepts(String secret, Map<String, String> headers, String body) {
                String header = headers.get("Stripe-Signature");
                try {
                    return Signature.verifyHeader(body, header, secret, 300, Clock.systemUTC());
                } catch (SignatureVerificationException e) {
                    return false;
                }
            }
        },
        STANDARD_WEBHOOKS(Sender.STANDARD) {
            @Override
            Map<String, String> sign(String secret, Event event) throws GeneralSecurityException {
                String time = Long.toString(event.time());
                try {
                    String signature =
                            new com.standardwebhooks.Webhook(secret).sign(event.id(), event.time(), text(event));
                    return Map.of("webhook-id", event.id(), "webhook-timestamp", time, "webhook-signature", signature);
                } catch (WebhookSigningException e) {
                    throw new GeneralSecurityException(e);
                }
            }

            @Override
            boolean accepts(String secret, Map<String, String> headers, String body) {
                Map<String, List<String>> all = headers.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> List.of(each.getValue())));
                try {
                    new com.standardwebhooks.Webhook(secret).verify(body, all);
                    return true;
                } catch (WebhookVerificationException e) {
                    return false;
                }
            }
        },
        SLACK(Sender.SLACK) {
            @Override
            Map<String, String> sign(String secret, Event event) {
                String time = Long.toString(event.time());
                String signature = new SlackSignature.Generator(secret).generate(time, text(event));
                return Map.of("X-Slack-Request-Timestamp", time, "X-Slack-Signature", signature);
            }

            @Override
            boolean accepts(String secret, Map<String, String> headers, String body) {
                return new SlackSignature.Verifier(new SlackSignature.Generator(secret))
                        .isValid(headers.get("X-Slack-Request-Timestamp"), body, headers.get("X-Slack-Signature"));
            }

            /** It turns text into bytes as the machine is set up, so other characters than these may be lost. */
            @Override
            String body(String id) {
                return sender.body(id);
            }
        };

        final Sender sender;

        Library(Sender sender) {
            this.sender = sender;
        }

        abstract Map<String, String> sign(String secret, Event event) throws GeneralSecurityException;

        abstract boolean accepts(String secret, Map<String, String> headers, String body);

        String body(String id) {
            return "{\"id\":\"" + id + "\",\"note\":\"Gr\u00fc\u00dfe \u20ac \ud83d\ude00\"}";
        }

        private static String text(Event event) {
            return new String(event.body(), StandardCharsets.UTF_8);
        }
    }

    private static Endpoint open(Library library, Container container) {
        Endpoint endpoint = Endpoint.open(library.sender, container, UnaryOperator.identity());
        endpoint.at(NOW);
        return endpoint;
    }

    private static ReceivedResponse send(Endpoint endpoint, Map<String, String> headers, String body) {
        return endpoint.send(endpoint.request(headers, Sender.utf8(body)).header("Content-Type", "application/json"));
    }

    @ParameterizedTest
    @EnumSource
    void eventThatALibrarySignedIsAcceptedOnce(Library library) throws GeneralSecurityException {
        String body = library.body("evt_1");
        for (Container container : Container.values()) {
            try (Endpoint endpoint = open(library, container)) {
                Map<String, String> first = library.sign(library.sender.secret, Event.of("evt_1", NOW, body));
                assertThat(send(endpoint, first, body).header(WebhookServlet.RESULT_HEADER))
                        .hasValue("accepted");
                Map<String, String> again = library.sign(library.sender.secret, Event.of("evt_1", NOW - 60, body));
                assertThat(send(endpoint, again, body).header(WebhookServlet.RESULT_HEADER))
                        .hasValue("duplicate");
                assertThat(endpoint.messages()).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void libraryAndEndpointRejectAChangedByteAnOldTimeAndAnotherSecretAlike(Library library)
            throws GeneralSecurityException {
        Sender sender = library.sender;
        String body = library.body("evt_1");
        Event event = Event.of("evt_1", NOW, body);
        Map<String, String> valid = library.sign(sender.secret, event);
        try (Endpoint endpoint = open(library, Container.JETTY)) {
            assertRejected(library, endpoint, valid, body.replace("evt_1", "evt_2"));
            assertRejected(library, endpoint, valid, body + " ");
            assertRejected(library, endpoint, library.sign(sender.otherSecret, event), body);
            String later = Long.toString(NOW + 1);
            assertRejected(
                    library,
                    endpoint,
                    valid.entrySet().stream()
                            .collect(Collectors.toMap(
                                    Map.Entry::getKey, each -> each.getValue().replace(Long.toString(NOW), later))),
                    body);
            Event old = Event.of("evt_1", NOW - LONG_AGO.toSeconds(), body);
            Map<String, String> late = library.sign(sender.secret, old);
            assertThat(library.accepts(sender.secret, late, body)).isFalse();
            assertThat(send(endpoint, late, body).code()).isEqualTo(IngressCode.TIMESTAMP_REJECTED.code());
            assertThat(endpoint.messages()).isZero();
            assertThat(library.accepts(sender.secret, valid, body)).isTrue();
            assertThat(send(endpoint, valid, body).status()).isEqualTo(200);
        }
    }

    private static void assertRejected(Library library, Endpoint endpoint, Map<String, String> headers, String body) {
        assertThat(library.accepts(library.sender.secret, headers, body))
                .as(headers.toString())
                .isFalse();
        assertThat(send(endpoint, headers, body).code())
                .as(headers.toString())
                .isEqualTo(IngressCode.SIGNATURE_INVALID.code());
    }

    /** All tests of this package sign events this way. */
    @ParameterizedTest
    @EnumSource
    void libraryAcceptsWhatOurTestsSign(Library library) {
        Sender sender = library.sender;
        for (String body : List.of(library.body("e-1"), "{}", "[1, 2]")) {
            Event event = Event.of("e-1", NOW, body);
            assertThat(library.accepts(sender.secret, sender.headers(sender.secret, event), body))
                    .as(body)
                    .isTrue();
            assertThat(library.accepts(sender.secret, sender.headers(sender.otherSecret, event), body))
                    .as(body)
                    .isFalse();
        }
    }
}

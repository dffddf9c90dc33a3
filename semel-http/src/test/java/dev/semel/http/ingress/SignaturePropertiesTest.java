package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.ingress.Sender.Event;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever a signature covers cannot be changed. */
class SignaturePropertiesTest {
    private static final long NOW = 1_700_000_000;

    private static boolean accepts(Sender sender, Map<String, String> headers, byte[] body) {
        try {
            SignatureTest.check(sender, sender.secret).demandValid(FakeRequests.of(headers, body, NOW));
            return true;
        } catch (Refused e) {
            return false;
        }
    }

    @Property(tries = 300)
    void anyBodyIsAcceptedAndNoChangedByteOfIt(
            @ForAll Sender sender,
            @ForAll @Size(max = 300) byte[] body,
            @ForAll @IntRange(max = 299) int where,
            @ForAll @IntRange(min = 1, max = 255) int change) {
        Event event = new Event("e-1", NOW, body);
        Map<String, String> headers = sender.headers(sender.secret, event);
        assertThat(accepts(sender, headers, body)).isTrue();
        byte[] longer = Arrays.copyOf(body, body.length + 1);
        assertThat(accepts(sender, headers, longer)).isFalse();
        if (body.length > 0) {
            byte[] changed = body.clone();
            changed[where % body.length] ^= (byte) change;
            assertThat(accepts(sender, headers, changed)).isFalse();
            assertThat(accepts(sender, headers, Arrays.copyOf(body, body.length - 1)))
                    .isFalse();
        }
    }

    @Property(tries = 300)
    void noChangedCharacterOfASignedIdOrTimeIsAccepted(
            @ForAll Sender sender,
            @ForAll @IntRange(max = 60) int where,
            @ForAll @IntRange(min = 0x20, max = 0x7e) int with) {
        Event event = Event.of("msg_5jXN8", NOW, sender.body("e-1"));
        Map<String, String> headers = sender.headers(sender.secret, event);
        for (String name :
                sender.source(WebhookSecrets.none()).signing().scheme().headers()) {
            String value = headers.get(name);
            int at = where % value.length();
            String changed = value.substring(0, at) + (char) with + value.substring(at + 1);
            if (!changed.equalsIgnoreCase(value)) {
                Map<String, String> others = new LinkedHashMap<>(headers);
                others.put(name, changed);
                assertThat(accepts(sender, others, event.body())).as(changed).isFalse();
            }
        }
    }

    /** The last character of base64 has bits that no decoder needs; a changed one is refused all the same. */
    @Property(tries = 100)
    void noOtherTextOfTheSameSignatureIsAccepted(@ForAll @IntRange(min = 0x21, max = 0x7e) int with) {
        Event event = Event.of("e-1", NOW, "{}");
        for (Sender sender : new Sender[] {Sender.SHOPIFY, Sender.STANDARD}) {
            Map<String, String> headers = sender.headers(sender.secret, event);
            Map<String, String> changed =
                    sender.withSignature(headers, value -> value.substring(0, value.length() - 2) + (char) with + "=");
            assertThat(accepts(sender, changed, event.body())).isEqualTo(changed.equals(headers));
        }
    }
}

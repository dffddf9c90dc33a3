package dev.semel.server.config;

import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a sender signs, and for how long it may send a webhook again. */
enum SenderScheme {
    STRIPE("stripe", Duration.ofDays(3), WebhookSource::stripe),
    GITHUB("github", Duration.ofDays(3), WebhookSource::github),
    SLACK("slack", Duration.ofDays(1), WebhookSource::slack),
    SHOPIFY("shopify", Duration.ofDays(2), WebhookSource::shopify),
    STANDARD("standard-webhooks", Duration.ofDays(4), WebhookSource::standardWebhooks),
    /** Unknown senders: only the policy itself says for how long they redeliver. */
    HMAC("hmac", null, null);

    private final String key;
    private final @Nullable Duration redelivery;
    private final @Nullable BiFunction<String, WebhookSecrets, WebhookSource> maker;

    SenderScheme(
            String key,
            @Nullable Duration redelivery,
            @Nullable BiFunction<String, WebhookSecrets, WebhookSource> maker) {
        this.key = key;
        this.redelivery = redelivery;
        this.maker = maker;
    }

    static Function<String, SenderScheme> reader() {
        Map<String, SenderScheme> all =
                Arrays.stream(values()).collect(Collectors.toMap(SenderScheme::key, each -> each));
        return ValueForms.choice(all, ConfigSetting.SOURCE_SCHEME.form());
    }

    /** Its name in the file. */
    String key() {
        return key;
    }

    /** Null when it is not known. */
    @Nullable
    Duration redelivery() {
        return redelivery;
    }

    /** Of a sender with a scheme of its own, which {@link #HMAC} is not. */
    WebhookSource source(String name, WebhookSecrets secrets) {
        if (maker == null) {
            throw new IllegalStateException("hmac needs a header and a key");
        }
        return maker.apply(name, secrets);
    }
}

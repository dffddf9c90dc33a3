package dev.semel.http.ingress;

import dev.semel.Tenant;
import dev.semel.http.ingress.HmacHeader.Encoding;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sender of webhooks: how it signs, what it calls an event, whose event it is. Immutable; each {@code with} returns a changed copy.
 *
 * <pre>{@code
 * WebhookSource stripe = WebhookSource.stripe("stripe", WebhookSecrets.of(secret))
 *         .withTenant(EventField.json("/account"))
 *         .withLane(EventField.json("/data/object/customer"));
 * }</pre>
 *
 * {@link WebhookServlet} checks everything together and names every fault.
 */
public final class WebhookSource {
    /** Unless the ledger's largest value is too small for it. */
    static final int USUAL_LARGEST_BODY = 1 << 20;

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,59}");
    private static final int MOST_HEADERS = 16;
    private static final Duration LONGEST_TOLERANCE = Duration.ofHours(24);
    private static final Set<String> CREDENTIALS = Set.of("authorization", "proxy-authorization", "cookie");

    private final String name;
    private final Signing signing;
    private final Rules rules;
    private final Intake intake;

    /** How it signs. */
    record Signing(SignatureScheme scheme, WebhookSecrets secrets, Duration tolerance) {}

    /**
     * What its events mean.
     *
     * @param tenant null where all belong to {@code fixed}
     * @param varying fields of the outermost object that change between deliveries of one event
     */
    record Rules(
            EventKey key,
            Tenant fixed,
            @Nullable EventField tenant,
            @Nullable EventField lane,
            List<String> varying) {}

    /**
     * What is taken in of a request.
     *
     * @param headers kept with the message, in lower case
     * @param largestBody null for the usual one
     */
    record Intake(
            Handshake handshake,
            Set<String> headers,
            @Nullable Integer largestBody,
            InstantSource clock) {}

    private WebhookSource(String name, Signing signing, Rules rules, Intake intake) {
        this.name = name;
        this.signing = signing;
        this.rules = rules;
        this.intake = intake;
    }

    private static WebhookSource of(
            String name, SignatureScheme scheme, WebhookSecrets secrets, EventKey key, Handshake handshake) {
        return new WebhookSource(
                name,
                new Signing(scheme, secrets, Duration.ofSeconds(300)),
                new Rules(key, Tenant.SINGLE, null, null, List.of()),
                new Intake(handshake, Set.of(), null, InstantSource.system()));
    }

    /** Senders that follow standardwebhooks.com. The key is {@code webhook-id}, which is signed. Secrets have the form {@code whsec_...}. */
    public static WebhookSource standardWebhooks(String name, WebhookSecrets secrets) {
        EventKey key = EventKey.of(EventField.signedHeader(SignatureScheme.Standard.ID));
        return of(name, new SignatureScheme.Standard(), secrets, key, Handshake.NONE)
                .withHeaders(SignatureScheme.Standard.ID, "webhook-timestamp");
    }

    /**
     * Slack: events, slash commands and interactions. The key is {@code event_id}, else {@code trigger_id}, else user and time of the
     * action, else the digest of the body; all of it is signed. Answers the URL verification itself.
     */
    public static WebhookSource slack(String name, WebhookSecrets secrets) {
        EventField user = EventField.jsonInForm("payload", "/user/id");
        EventKey key = EventKey.firstOf(
                EventKey.of(EventField.json("/event_id")),
                EventKey.of(EventField.form("trigger_id")),
                EventKey.of(EventField.jsonInForm("payload", "/trigger_id")),
                EventKey.of(user, EventField.jsonInForm("payload", "/actions/0/action_ts")),
                EventKey.of(user, EventField.jsonInForm("payload", "/action_ts")),
                EventKey.bodyDigest());
        return of(name, new SignatureScheme.Slack(), secrets, key, Handshake.SLACK)
                .withHeaders("X-Slack-Retry-Num", "X-Slack-Retry-Reason");
    }

    /** Stripe. The key is the {@code id} of the event, in the signed body. {@code pending_webhooks} may change between deliveries. */
    public static WebhookSource stripe(String name, WebhookSecrets secrets) {
        return of(name, new SignatureScheme.Stripe(), secrets, EventKey.of(EventField.json("/id")), Handshake.NONE)
                .withVaryingFields("pending_webhooks");
    }

    /**
     * GitHub. It signs the body and nothing else, so the key is the digest of the body: a replay under another
     * {@code X-GitHub-Delivery} is a duplicate. Two events with the same bytes count as one. Use
     * {@code withKey(EventKey.of(EventField.header("X-GitHub-Delivery")))} to take in both, and replays with them. A ping is answered and
     * not stored.
     */
    public static WebhookSource github(String name, WebhookSecrets secrets) {
        HmacHeader header = HmacHeader.of("X-Hub-Signature-256").withPrefix("sha256=");
        return of(name, new SignatureScheme.OfBody(header), secrets, EventKey.bodyDigest(), Handshake.GITHUB)
                .withHeaders("X-GitHub-Delivery", "X-GitHub-Event", "X-GitHub-Hook-ID");
    }

    /**
     * Shopify. It signs the body and nothing else, and bodies of different events may be the same, so the key is
     * {@code X-Shopify-Webhook-Id}, which is not signed: whoever can read a request can replay it under another id. Use
     * {@code withKey(EventKey.bodyDigest())} for topics whose bodies never repeat. Topic and shop are headers, and not signed either.
     */
    public static WebhookSource shopify(String name, WebhookSecrets secrets) {
        HmacHeader header = HmacHeader.of("X-Shopify-Hmac-Sha256").withEncoding(Encoding.BASE64);
        EventKey key = EventKey.of(EventField.header("X-Shopify-Webhook-Id"));
        return of(name, new SignatureScheme.OfBody(header), secrets, key, Handshake.SHOPIFY)
                .withHeaders(
                        "X-Shopify-Webhook-Id",
                        "X-Shopify-Event-Id",
                        "X-Shopify-Topic",
                        "X-Shopify-Shop-Domain",
                        "X-Shopify-Triggered-At",
                        "X-Shopify-API-Version");
    }

    /** Any sender with an HMAC of the raw body in a header. Without a signed time, replays are recognised by their key alone. */
    public static WebhookSource hmac(String name, WebhookSecrets secrets, HmacHeader header, EventKey key) {
        return of(name, new SignatureScheme.OfBody(header), secrets, key, Handshake.NONE);
    }

    /** What makes two webhooks the same event, in place of the sender's usual rule. */
    public WebhookSource withKey(EventKey value) {
        return with(new Rules(value, rules.fixed, rules.tenant, rules.lane, rules.varying));
    }

    /** All events belong to this tenant; {@link Tenant#SINGLE} unless set. */
    public WebhookSource withTenant(Tenant value) {
        return with(new Rules(rules.key, value, null, rules.lane, rules.varying));
    }

    /**
     * The tenant is in the event; one without it is refused. Equal ids of two tenants are different events, so name a field of the signed
     * body, or use one source with a secret of its own for each tenant.
     */
    public WebhookSource withTenant(EventField value) {
        return with(new Rules(rules.key, rules.fixed, value, rules.lane, rules.varying));
    }

    /** Events with the same text here are handled one at a time, in the order in which they were accepted. Those without it have no lane. */
    public WebhookSource withLane(EventField value) {
        return with(new Rules(rules.key, rules.fixed, rules.tenant, value, rules.varying));
    }

    /**
     * Fields of the outermost JSON object that the sender changes between deliveries of one event. Without them here, such a redelivery is
     * reported as a conflict. Bodies are then compared as JSON and not byte by byte.
     */
    public WebhookSource withVaryingFields(String... names) {
        return with(new Rules(rules.key, rules.fixed, rules.tenant, rules.lane, List.of(names)));
    }

    /** Keeps these headers with the message, beside the sender's usual ones. Values over 1024 characters are left out. */
    public WebhookSource withHeaders(String... names) {
        Set<String> all = new LinkedHashSet<>(intake.headers);
        Arrays.stream(names).map(each -> each.toLowerCase(Locale.ROOT)).forEach(all::add);
        return with(new Intake(intake.handshake, Set.copyOf(all), intake.largestBody, intake.clock));
    }

    /** How far a signed time may be from this server's clock, either way; 300 seconds unless set, at most a day. */
    public WebhookSource withTolerance(Duration value) {
        return new WebhookSource(name, new Signing(signing.scheme, signing.secrets, value), rules, intake);
    }

    /**
     * The largest body in bytes. Unless set 1 MiB, or as much as fits into the ledger's largest value: 750 KiB with the default of
     * {@code Semel.Settings.withLargestValue}.
     */
    public WebhookSource withLargestBody(int bytes) {
        return with(new Intake(intake.handshake, intake.headers, bytes, intake.clock));
    }

    /** The clock of the tolerance and of {@link Webhook.Transport#received}, for tests; the system's unless set. */
    public WebhookSource withClock(InstantSource value) {
        return with(new Intake(intake.handshake, intake.headers, intake.largestBody, value));
    }

    private WebhookSource with(Rules value) {
        return new WebhookSource(name, signing, value, intake);
    }

    private WebhookSource with(Intake value) {
        return new WebhookSource(name, signing, rules, value);
    }

    /** In logs, metrics, keys and paths: 1 to 60 lower-case letters, digits, dots, hyphens and underscores. */
    public String name() {
        return name;
    }

    Signing signing() {
        return signing;
    }

    Rules rules() {
        return rules;
    }

    Intake intake() {
        return intake;
    }

    /** The signature does not cover what the key, or the tenant, is read from. */
    Optional<String> unsignedFields() {
        List<String> unsigned = Stream.concat(
                        rules.key.isSigned() ? Stream.empty() : Stream.of("key (" + rules.key + ")"),
                        rules.tenant == null || rules.tenant.isSigned()
                                ? Stream.empty()
                                : Stream.of("tenant (" + rules.tenant + ")"))
                .toList();
        return unsigned.isEmpty() ? Optional.empty() : Optional.of(String.join(" and ", unsigned));
    }

    /** Everything that is wrong with it by itself, without the text of secrets; empty when it is sound. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>(SignatureCheck.faults(signing.scheme, signing.secrets));
        if (!NAME.matcher(name).matches()) {
            faults.add("the name must have 1 to 60 lower-case letters, digits, dots, hyphens or underscores");
        }
        Duration tolerance = signing.tolerance;
        if (tolerance.toSeconds() < 1 || tolerance.compareTo(LONGEST_TOLERANCE) > 0) {
            faults.add("the tolerance is " + tolerance + ": use 1 s to 24 h");
        }
        if (intake.largestBody != null && intake.largestBody < 1) {
            faults.add("the largest body is " + intake.largestBody + " bytes: use at least 1");
        }
        if (signing.scheme instanceof SignatureScheme.OfBody plain
                && !isToken(plain.form().name())) {
            faults.add("the signature's header name is not valid");
        }
        intake.headers.stream().sorted().forEach(header -> {
            if (!isToken(header) || CREDENTIALS.contains(header)) {
                faults.add("the header \"" + (isToken(header) ? header : "?")
                        + "\" cannot be kept: it is not a header name, or holds credentials");
            }
        });
        if (intake.headers.size() > MOST_HEADERS) {
            faults.add("it keeps " + intake.headers.size() + " headers: keep at most " + MOST_HEADERS);
        }
        return faults;
    }

    private static boolean isToken(String name) {
        return name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
    }

    /** Its name and how it signs, without secrets. */
    @Override
    public String toString() {
        return "WebhookSource[" + name + ", " + signing.scheme + ", " + signing.secrets + ", key " + rules.key + "]";
    }
}

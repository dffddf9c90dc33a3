package dev.semel.http.ingress;

import dev.semel.Answer.Next;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.GatewayRuns;
import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import dev.semel.key.Keys;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Takes in the webhooks of one sender, each once:
 *
 * <pre>{@code
 * static final Channel.Atomic<Webhook> PAYMENTS = Webhook.atomic("payments-inbox");
 *
 * new WebhookServlet(semel, PAYMENTS, WebhookSource.stripe("stripe", secrets))
 * }</pre>
 *
 * <p>In order: size, signature on the raw bytes, signed time, key, then dedupe and enqueue in one commit, then 200. A duplicate gets 200 and
 * is not enqueued. So does an event whose id was used with another body: the first one wins, and the second is logged, counted and audited.
 * Nothing is answered 2xx before it is durable; a sender that gets no 200 sends again. Without a secret it answers 503.
 *
 * <p>Map it with a pattern of its own, in front of filters that read parameters of forms: the signature covers the raw bytes. Thread-safe.
 */
public class WebhookServlet extends HttpServlet {
    /** Tells what became of a webhook: accepted, duplicate, conflict, or handshake. */
    public static final String RESULT_HEADER = "Semel-Ingress";

    private static final String ACCEPTED = "accepted";
    private static final String HANDSHAKE = "handshake";
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(WebhookServlet.class);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration LATER = Duration.ofMinutes(5);

    /** A webhook that is not stored by then is answered 503. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private static final int LARGEST_VALUE = 1 << 20;
    private static final int LONGEST_HEADER = 1_024;

    /** JSON around the body, with sixteen kept headers. */
    private static final int ENVELOPE = 24 << 10;

    /** A lane of the ledger is no longer. */
    private static final int LONGEST_LANE = 255;

    /** Said when it starts, or with the exception. */
    private static final Set<IngressCode> LOGGED_ELSEWHERE =
            EnumSet.of(IngressCode.DISABLED, IngressCode.STORE_UNAVAILABLE);

    private final transient Semel semel;
    private final transient Channel<Webhook> channel;
    private final transient WebhookSource source;
    private final transient SignatureCheck signatures;
    private final transient @Nullable GatewayRuns counts;
    private final transient WebhookCounts.Counting answered = new WebhookCounts.Counting();
    private final int largestBody;
    private final transient WarningLimit warnings = new WarningLimit(System::nanoTime);
    private final transient SharedStoring<Message<Webhook>, Sent> storing = new SharedStoring<>(this::sendAll);

    /**
     * @param channel made by {@link Webhook#atomic} or {@link Webhook#leased}
     * @throws SemelException.Misconfigured naming every fault of the source and the channel
     */
    public WebhookServlet(Semel semel, Channel<Webhook> channel, WebhookSource source) {
        this(semel, channel, source, null);
    }

    /** @param check in place of the usual one, for tests */
    WebhookServlet(Semel semel, Channel<Webhook> channel, WebhookSource source, @Nullable SignatureCheck check) {
        Engine engine = Engine.behind(semel).orElse(null);
        this.counts = engine == null ? null : engine.gatewayRuns();
        int largestValue = counts == null ? LARGEST_VALUE : counts.largestValue();
        int fits = (int) Math.max(0, (largestValue - ENVELOPE) / 4 * 3L);
        List<String> faults = faults(channel, source, fits);
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("webhook source " + source.name(), faults);
        }
        this.semel = engine == null ? semel : engine;
        this.channel = channel;
        this.source = source;
        this.largestBody = Objects.requireNonNullElse(
                source.intake().largestBody(), Math.min(WebhookSource.USUAL_LARGEST_BODY, fits));
        WebhookSource.Signing signing = source.signing();
        this.signatures =
                check != null ? check : new SignatureCheck(signing.scheme(), signing.secrets(), signing.tolerance());
        announce();
    }

    private static List<String> faults(Channel<Webhook> channel, WebhookSource source, int fits) {
        List<String> faults = new ArrayList<>(source.faults());
        if (!channel.definition().operation().transportFields().containsAll(Set.of(Webhook.TRANSPORT_FIELDS))) {
            faults.add(
                    "channel " + channel.name() + " compares headers and times of deliveries, so redeliveries would be"
                            + " conflicts: make it with Webhook.atomic(...) or Webhook.leased(...)");
        }
        Webhook sample = new Webhook("", "", new byte[0], "lane", new Webhook.Transport(null, Map.of(), Instant.EPOCH));
        if (source.rules().lane() != null && channel.definition().laneOf(sample) == null) {
            faults.add(
                    "channel " + channel.name() + " does not use the lane of the source: add withLane(Webhook::lane)");
        }
        Integer largest = source.intake().largestBody();
        if (fits < 1 || largest != null && largest > fits) {
            faults.add("the largest body" + (largest == null ? "" : ", " + largest + " bytes,")
                    + " does not fit into the ledger's largest value: at most " + fits
                    + " bytes do. Raise Semel.Settings.withLargestValue to four thirds of it and 24 KiB");
        }
        return faults;
    }

    /** In bytes; larger bodies are rejected with 413. */
    public int largestBody() {
        return largestBody;
    }

    /** What was answered since this servlet was made. */
    public WebhookCounts counts() {
        return answered.snapshot();
    }

    private void announce() {
        if (!signatures.isPossible()) {
            LOG.warn(
                    "Webhook source {}: no secret is configured; every webhook is rejected with 503 (ingress.disabled). Set"
                            + " its secret to switch it on.",
                    source.name());
        }
        source.unsignedFields()
                .ifPresent(unsigned -> LOG.info(
                        "Webhook source {}: the signature does not cover the {}: whoever can read a request can replay it"
                                + " with another one.",
                        source.name(),
                        unsigned));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        MDC.MDCCloseable correlation = MDC.putCloseable("correlation_id", ids.correlation());
        MDC.MDCCloseable own = MDC.putCloseable("request_id", ids.request());
        try {
            takeIn(request, response, ids);
        } finally {
            own.close();
            correlation.close();
        }
    }

    private void takeIn(HttpServletRequest request, HttpServletResponse response, RequestIds ids) throws IOException {
        try {
            demandPossible(request);
            byte[] body = RawBody.read(request, largestBody);
            ReceivedRequest received =
                    new ReceivedRequest(request, body, source.intake().clock().instant());
            if (source.intake().handshake().isUnsigned(received)) {
                acknowledge(response, HANDSHAKE, "");
                return;
            }
            signatures.demandValid(received);
            Optional<String> reply = source.intake().handshake().reply(received);
            if (reply.isPresent()) {
                acknowledge(response, HANDSHAKE, reply.get());
                return;
            }
            store(message(received, ids), request, response, ids);
        } catch (Refused e) {
            refuse(response, ids, e);
        }
    }

    /** On this thread, or together with others once this thread has left. */
    private void store(
            Message<Webhook> message, HttpServletRequest request, HttpServletResponse response, RequestIds ids)
            throws IOException, Refused {
        switch (turn(message, request)) {
            case STORE_ALONE -> acknowledge(response, result(store(message)), "");
            case STORE_NOW -> {
                Sent sent;
                try {
                    sent = store(message);
                } finally {
                    storing.leave();
                }
                acknowledge(response, result(sent), "");
            }
            case QUEUE -> storing.add(waiting(message, request, response, ids));
        }
    }

    /** A key with a time bucket takes a transaction of its own. */
    private SharedStoring.Turn turn(Message<Webhook> message, HttpServletRequest request) {
        return request.isAsyncSupported() && message.key().neighbours().isEmpty()
                ? storing.enter(message.payload().body().length)
                : SharedStoring.Turn.STORE_ALONE;
    }

    /** Until it is acknowledged the status is that of a failure, whoever may end the request. */
    private WaitingWebhook waiting(
            Message<Webhook> message, HttpServletRequest request, HttpServletResponse response, RequestIds ids) {
        try {
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(LONGEST_WAIT.toMillis());
            return new WaitingWebhook(message, context, new LateAnswer(response, ids));
        } catch (RuntimeException | Error e) {
            storing.giveUp(message.payload().body().length);
            throw e;
        }
    }

    /** Answers a request whose thread has left. */
    private final class LateAnswer implements WaitingWebhook.Answering {
        private final HttpServletResponse response;
        private final RequestIds ids;

        LateAnswer(HttpServletResponse response, RequestIds ids) {
            this.response = response;
            this.ids = ids;
        }

        @Override
        public void stored(Sent sent) throws IOException {
            MDC.MDCCloseable correlation = MDC.putCloseable("correlation_id", ids.correlation());
            try {
                acknowledge(response, result(sent), "");
            } catch (Refused e) {
                refuse(response, ids, e);
            } finally {
                correlation.close();
            }
        }

        @Override
        public void failed(RuntimeException why) throws IOException {
            MDC.MDCCloseable correlation = MDC.putCloseable("correlation_id", ids.correlation());
            try {
                refuse(response, ids, notStored(why));
            } finally {
                correlation.close();
            }
        }
    }

    private void demandPossible(HttpServletRequest request) throws Refused {
        if (!request.getMethod().equals("POST")) {
            throw new Refused(IngressCode.METHOD_NOT_ALLOWED, "the method is not POST");
        }
        if (!signatures.isPossible()) {
            throw new Refused(IngressCode.DISABLED, "no secret is configured");
        }
        String encoding = request.getHeader("Content-Encoding");
        if (encoding != null && !encoding.isBlank() && !encoding.strip().equalsIgnoreCase("identity")) {
            throw new Refused(IngressCode.ENCODING_UNSUPPORTED, "the body is compressed (Content-Encoding)");
        }
    }

    private Message<Webhook> message(ReceivedRequest received, RequestIds ids) throws Refused {
        Key key = source.rules().key().key(source.name(), received);
        EventField lane = source.rules().lane();
        Webhook webhook = new Webhook(
                source.name(),
                digest(received),
                received.body(),
                lane == null
                        ? null
                        : lane.asRead(received).map(WebhookServlet::lane).orElse(null),
                transport(received));
        Call.Origin origin = Call.Origin.UNSTATED
                .withCorrelationId(ids.correlation())
                .withRequestId(ids.request())
                .withSource("webhook")
                .withActor(source.name(), "webhook source");
        return Message.of(tenant(received), key, webhook)
                .withOrigin(ids.trace() == null ? origin : origin.withTraceId(ids.trace()));
    }

    /** A lane only orders events, so none is rejected for it: one that the ledger does not take is replaced by its hash. */
    private static String lane(String text) {
        try {
            SemelException.Invalid.unlessText("lane", text, LONGEST_LANE);
            return text;
        } catch (SemelException.Invalid e) {
            return Keys.contentHash(text.getBytes(StandardCharsets.UTF_8)).text();
        }
    }

    private String digest(ReceivedRequest received) throws Refused {
        List<String> varying = source.rules().varying();
        try {
            return varying.isEmpty()
                    ? Keys.contentHash(received.body()).text()
                    : Keys.jsonHash(received.body(), varying.toArray(new String[0]))
                            .text();
        } catch (SemelException.Invalid e) {
            throw Refused.event("the body is not JSON that can be compared");
        }
    }

    private Webhook.Transport transport(ReceivedRequest received) {
        Map<String, String> kept = new HashMap<>();
        for (String name : source.intake().headers()) {
            received.header(name)
                    .filter(value -> value.length() <= LONGEST_HEADER)
                    .ifPresent(value -> kept.put(name, value));
        }
        // Not getContentType: Jetty throws there for a charset that it does not know.
        Optional<String> type = received.header("Content-Type").filter(value -> value.length() <= LONGEST_HEADER);
        return new Webhook.Transport(type.orElse(null), kept, received.received());
    }

    private Tenant tenant(ReceivedRequest received) throws Refused {
        EventField field = source.rules().tenant();
        if (field == null) {
            return source.rules().fixed();
        }
        try {
            return Tenant.of(field.of(received).orElseThrow(() -> Refused.event("the event has no tenant: " + field)));
        } catch (SemelException.Invalid e) {
            throw Refused.event("the tenant at " + field + " is not a valid name");
        }
    }

    /** Dedupe and enqueue, in one commit. Everything that is thrown here means that nothing was acknowledged. */
    private Sent store(Message<Webhook> message) throws Refused {
        try {
            return sendAll(List.of(message)).get(0);
        } catch (RuntimeException e) {
            throw notStored(e);
        }
    }

    private Refused notStored(RuntimeException why) {
        warnings.next(IngressCode.STORE_UNAVAILABLE)
                .ifPresent(withheld -> LOG.error(
                        "Webhook source {}: storing a webhook failed; rejected with 503. A sender that retries sends it again.{}",
                        source.name(),
                        others(withheld),
                        why));
        return new Refused(IngressCode.STORE_UNAVAILABLE, "storing it failed");
    }

    /** Returns when the messages are durable, or surely not stored. */
    List<Sent> sendAll(List<Message<Webhook>> messages) {
        return messages.size() == 1 ? List.of(semel.send(channel, messages.get(0))) : semel.sendAll(channel, messages);
    }

    private String result(Sent sent) throws Refused {
        if (sent instanceof Sent.Accepted accepted) {
            return accepted.first() ? ACCEPTED : "duplicate";
        }
        if (sent instanceof Sent.Conflict conflict) {
            warnings.next("conflict")
                    .ifPresent(withheld -> LOG.warn(
                            "Webhook source {}: conflict: an event id was used with another body; the first one is kept, this one"
                                    + " is not stored. {}{}",
                            source.name(),
                            conflict.notice().reason(),
                            others(withheld)));
            return "conflict";
        }
        throw Refused.event(
                "the ledger rejected it: " + ((Sent.Rejected) sent).notice().reason());
    }

    private static String others(long withheld) {
        return withheld == 0 ? "" : " " + withheld + " more since the last such line.";
    }

    private void acknowledge(HttpServletResponse response, String result, String text) throws IOException {
        count(result);
        if (!result.equals(HANDSHAKE)) {
            answered.acknowledged(
                    result.equals(ACCEPTED), source.intake().clock().instant());
        }
        response.setStatus(HttpServletResponse.SC_OK);
        response.setHeader(RESULT_HEADER, result);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        if (body.length > 0) {
            response.setContentType("text/plain");
        }
        response.setContentLength(body.length);
        if (body.length > 0) {
            response.getOutputStream().write(body);
        }
    }

    private void count(String answer) {
        if (counts != null) {
            counts.ingress(source.name(), answer);
        }
    }

    private void refuse(HttpServletResponse response, RequestIds ids, Refused refused) throws IOException {
        IngressCode code = refused.code();
        count(code.code());
        answered.rejected(source.intake().clock().instant());
        OptionalLong withheld = LOGGED_ELSEWHERE.contains(code) ? OptionalLong.empty() : warnings.next(code);
        if (withheld.isPresent()) {
            LOG.warn(
                    "Webhook source {}: rejected with {} ({}): {}.{} At most one such line is logged each minute, others at debug level.",
                    source.name(),
                    code.status(),
                    code.code(),
                    refused.reason(),
                    others(withheld.getAsLong()));
        } else {
            LOG.debug("Webhook source {}: rejected ({}): {}.", source.name(), code.code(), refused.reason());
        }
        if (code.status() == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
            Duration wait = code == IngressCode.DISABLED ? LATER : SOON;
            response.setHeader("Retry-After", Long.toString(ProblemDocument.seconds(wait)));
        }
        if (code == IngressCode.METHOD_NOT_ALLOWED) {
            response.setHeader("Allow", "POST");
        }
        String type = "urn:semel:problem:" + code.code();
        ProblemDocument.of(type, code.title(), code.status(), detail(code), code.code())
                .with("correlation_id", ids.correlation())
                .withNext(
                        Set.of(code.status() == HttpServletResponse.SC_SERVICE_UNAVAILABLE ? Next.RETRY : Next.CONTACT))
                .send(response);
    }

    private String detail(IngressCode code) {
        return switch (code) {
            case DISABLED -> "Rejected: no secret is configured for this endpoint. Nothing was stored.";
            case METHOD_NOT_ALLOWED -> "Rejected: send webhooks by POST.";
            case ENCODING_UNSUPPORTED -> "Rejected: send the body without Content-Encoding. Nothing was stored.";
            case TOO_LARGE -> "Rejected: the body is larger than " + largestBody + " bytes. Nothing was stored.";
            case BODY_INCOMPLETE -> "Rejected: the body could not be read to its end. Nothing was stored.";
            case SIGNATURE_INVALID -> "Rejected: the signature is missing or invalid. Nothing was stored.";
            case TIMESTAMP_REJECTED -> "Rejected: the signed timestamp is out of tolerance. Nothing was stored.";
            case EVENT_INVALID -> "Rejected: the event has no usable id, tenant or content. Nothing was stored.";
            case STORE_UNAVAILABLE -> "The webhook may not be stored. Send it again after the time in Retry-After.";
        };
    }
}

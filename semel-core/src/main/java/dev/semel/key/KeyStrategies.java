package dev.semel.key;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Key.CallFacts;
import dev.semel.Key.Strategy;
import dev.semel.Operation.TypeRef;
import dev.semel.Semel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Key strategies that are ready, and their compositions. Each makes the key of the same name in {@link Keys}, so a key that a strategy
 * found and one that was made by hand are the same; keys of two kinds are never the same. A strategy finds nothing where what it looks
 * at is missing or empty.
 *
 * <pre>{@code
 * KeyStrategies.<Order>clientGiven("Idempotency-Key").orElse(KeyStrategies.messageId())
 * KeyStrategies.all(KeyStrategies.actor(), KeyStrategies.value("order", Order::id))
 * }</pre>
 */
public final class KeyStrategies {
    private KeyStrategies() {}

    /** {@link Keys#messageId}: the request id of the call's origin, under which the transport knows the message. */
    public static <P> Strategy<P> messageId() {
        return new Strategy<>(
                "message id", facts -> text(facts.origin().requestId()).map(Keys::messageId));
    }

    /** {@link Keys#messageId}: the id that is in the payload. */
    public static <P> Strategy<P> messageId(Function<? super P, @Nullable String> id) {
        return of(
                "message id of the payload", payload -> text(id.apply(payload)).map(Keys::messageId));
    }

    /**
     * {@link Keys#clientGiven}: a header, or other metadata, that the client made for the purpose.
     *
     * @param header compared without regard to case; a call that has it twice is refused
     */
    public static <P> Strategy<P> clientGiven(String header) {
        return new Strategy<>("header " + header, facts -> Keys.clientGiven(facts.metadata(), header));
    }

    /**
     * The hash of the payload: {@link Keys#contentHash} of {@code byte[]}, {@link Keys#jsonHash} of everything else, written as Semel's
     * usual codec does.
     *
     * @param transportFields of the payload that are not part of the meaning (retry counter, receive time)
     */
    public static <P> Strategy<P> contentHash(String... transportFields) {
        return contentHash(JacksonCodec.usual(), transportFields);
    }

    /** As {@link #contentHash(String...)}, written by the application's own codec. */
    public static <P> Strategy<P> contentHash(Semel.Codec codec, String... transportFields) {
        String[] excluded = transportFields.clone();
        ValueCodec writing = new ValueCodec(Integer.MAX_VALUE, codec);
        return of(
                "content hash",
                payload -> Optional.of(
                        payload instanceof byte[] bytes
                                ? Keys.contentHash(bytes)
                                : Keys.jsonHash(
                                        writing.encodeUnbounded(payload, TypeRef.of(payload.getClass())), excluded)));
    }

    /** {@link Keys#composite} of the request id, the correlation id and the actor of the call's origin; nothing if all three are missing. */
    public static <P> Strategy<P> composite() {
        return new Strategy<>("message, correlation and user", facts -> {
            Call.Origin origin = facts.origin();
            boolean any = text(origin.requestId())
                    .or(() -> text(origin.correlationId()))
                    .or(() -> text(origin.actor()))
                    .isPresent();
            return any
                    ? Optional.of(Keys.composite(origin.requestId(), origin.correlationId(), origin.actor()))
                    : Optional.empty();
        });
    }

    /**
     * {@link Keys#operation}: the source, request id and aggregate version of the call's origin, the operation's name as the action, and
     * an aggregate. Nothing without a source, or with neither request id nor aggregate.
     */
    public static <P> Strategy<P> operation(Function<? super P, @Nullable String> aggregateId) {
        return new Strategy<>("source with request id or aggregate", facts -> {
            Call.Origin origin = facts.origin();
            P payload = facts.payload();
            String aggregate = payload == null ? null : aggregateId.apply(payload);
            boolean any = text(origin.requestId()).or(() -> text(aggregate)).isPresent();
            return text(origin.source())
                    .filter(source -> any)
                    .map(source -> Keys.operation(
                            source, origin.requestId(), facts.operation(), aggregate, origin.aggregateVersion(), null));
        });
    }

    /**
     * {@link Keys#textInBucket}: the last resort.
     *
     * @param at when the message was made; a retry must show the same time
     */
    public static <P> Strategy<P> textInBucket(
            Function<? super P, @Nullable String> scope,
            Function<? super P, @Nullable String> text,
            Duration width,
            Function<? super P, ? extends @Nullable Instant> at) {
        return of("text in a bucket of " + width, payload -> {
            Instant when = at.apply(payload);
            Optional<String> said = text(text.apply(payload)).filter(each -> !each.isBlank());
            return when == null
                    ? Optional.empty()
                    : text(scope.apply(payload))
                            .flatMap(within -> said.map(each -> Keys.textInBucket(within, each, width, when)));
        });
    }

    /** {@link Keys#job}. */
    public static <P> Strategy<P> job(String queue, String type, Function<? super P, @Nullable String> resource) {
        return ofFacts(
                "resource of the job " + queue + "/" + type,
                (facts, payload) ->
                        text(resource.apply(payload)).map(each -> Keys.job(facts.tenant(), queue, type, each)));
    }

    /** {@link Keys#event}. */
    public static <P> Strategy<P> event(
            String source,
            Function<? super P, @Nullable String> conversation,
            Function<? super P, @Nullable String> message) {
        return of(
                "event of " + source,
                payload -> text(conversation.apply(payload))
                        .flatMap(in -> text(message.apply(payload)).map(id -> Keys.event(source, in, id))));
    }

    /**
     * {@link Keys#action}.
     *
     * @param target may give null for an action without one
     */
    public static <P> Strategy<P> action(
            String action,
            Function<? super P, @Nullable String> conversation,
            Function<? super P, @Nullable String> target,
            Function<? super P, @Nullable String> event) {
        return of(
                "action " + action,
                payload -> text(conversation.apply(payload))
                        .flatMap(in -> text(event.apply(payload))
                                .map(id -> Keys.action(action, in, target.apply(payload), id))));
    }

    /**
     * {@code val:{name}:{value}}: a natural key of the business, such as an order's number.
     *
     * @param name part of the key, so that an order and a parcel of the same number are two
     */
    public static <P> Strategy<P> value(String name, Function<? super P, @Nullable String> value) {
        return of(
                name,
                payload -> text(value.apply(payload))
                        .map(each -> Parts.of("val")
                                .required("name", name)
                                .required("value", each)
                                .key()));
    }

    /** {@code val:actor:{actor}}: who asked. Only together with others, see {@link #all}. */
    public static <P> Strategy<P> actor() {
        return new Strategy<>(
                "actor",
                facts -> text(facts.origin().actor())
                        .map(each -> Parts.of("val")
                                .required("name", "actor")
                                .required("actor", each)
                                .key()));
    }

    /** The key of the first strategy that finds one. */
    @SafeVarargs
    public static <P> Strategy<P> firstOf(Strategy<P> first, Strategy<P>... others) {
        Strategy<P> all = first;
        for (Strategy<P> each : others) {
            all = all.orElse(each);
        }
        return all;
    }

    /**
     * {@code all:{key}:{key}...}: the keys of all strategies together, each percent-encoded, so that two calls share a key only if they
     * share each part. Nothing if one of them finds nothing.
     */
    @SafeVarargs
    public static <P> Strategy<P> all(Strategy<P> first, Strategy<P>... others) {
        List<Strategy<P>> all = new ArrayList<>();
        all.add(first);
        for (Strategy<P> each : others) {
            all.add(each);
        }
        String names = all.stream().map(Strategy::name).collect(Collectors.joining(" with "));
        return new Strategy<>(names, facts -> {
            List<Key> keys = new ArrayList<>();
            for (Strategy<P> each : all) {
                Optional<Key> found = each.find(facts);
                if (found.isEmpty()) {
                    return Optional.empty();
                }
                keys.add(found.get());
            }
            return Optional.of(joined(keys));
        });
    }

    /** A part with a time bucket gives the whole its neighbours: the same parts, with that one a bucket earlier or later. */
    private static Key joined(List<Key> keys) {
        String text = joinedText(keys.stream().map(Key::text).toList());
        List<List<String>> forms = List.of(List.of());
        for (Key key : keys) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> form : forms) {
                longer.add(with(form, key.text()));
                key.neighbours().forEach(neighbour -> longer.add(with(form, neighbour)));
            }
            forms = longer;
        }
        List<String> neighbours = forms.stream()
                .map(KeyStrategies::joinedText)
                .filter(each -> !each.equals(text))
                .toList();
        return neighbours.isEmpty()
                ? Key.of(text)
                : Key.withNeighbours(
                        text, joinedText(keys.stream().map(Key::lock).toList()), neighbours);
    }

    private static List<String> with(List<String> form, String next) {
        List<String> longer = new ArrayList<>(form);
        longer.add(next);
        return longer;
    }

    private static String joinedText(List<String> texts) {
        Parts parts = Parts.of("all");
        texts.forEach(each -> parts.required("part", each));
        return parts.text();
    }

    private static <P> Strategy<P> of(String name, Function<P, Optional<Key>> function) {
        return ofFacts(name, (facts, payload) -> function.apply(payload));
    }

    /** A call without payload has nothing to look at. */
    private static <P> Strategy<P> ofFacts(String name, BiFunction<CallFacts<? extends P>, P, Optional<Key>> function) {
        return new Strategy<>(name, facts -> {
            P payload = facts.payload();
            return payload == null ? Optional.empty() : function.apply(facts, payload);
        });
    }

    private static Optional<String> text(@Nullable String value) {
        return value == null || value.isEmpty() ? Optional.empty() : Optional.of(value);
    }
}

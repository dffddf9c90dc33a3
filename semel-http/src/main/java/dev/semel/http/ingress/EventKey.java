package dev.semel.http.ingress;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.key.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What makes two webhooks of a source the same event. Immutable.
 *
 * <pre>{@code
 * EventKey.of(EventField.json("/event_id")).orElse(EventKey.bodyDigest())
 * }</pre>
 *
 * <p>Prefer what the sender calls the event. A rule that names a part of the body is covered by the signature; see {@link EventField}.
 * The name of the source is part of every key, so two sources on one channel never meet. A changed rule makes other keys: events that
 * came in under the old rule are not recognised under the new one.
 */
public final class EventKey {
    private final String name;
    private final boolean signed;
    private final KeyMaker maker;

    @FunctionalInterface
    private interface KeyMaker {
        Optional<Key> make(String source, ReceivedRequest request) throws Refused;
    }

    private EventKey(String name, boolean signed, KeyMaker maker) {
        this.name = name;
        this.signed = signed;
        this.maker = maker;
    }

    /**
     * All of these fields together.
     *
     * @throws SemelException.Invalid when there are none
     */
    public static EventKey of(EventField... fields) {
        if (fields.length == 0) {
            throw new SemelException.Invalid(
                    "A key rule has no fields: name at least one, such as EventField.json(\"/id\").");
        }
        List<EventField> all = List.of(fields);
        String label = String.join("+", all.stream().map(EventField::toString).toList());
        return new EventKey(label, all.stream().allMatch(EventField::isSigned), (source, request) -> {
            List<String> values = new ArrayList<>();
            for (EventField field : all) {
                Optional<String> value = field.of(request);
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                values.add(value.get());
            }
            return Optional.of(Keys.event(source, label, joined(values)));
        });
    }

    /**
     * The SHA-256 of the raw body: for senders whose signature covers nothing else, and for bodies that never repeat. Two events with the
     * same bytes count as one.
     */
    public static EventKey bodyDigest() {
        return new EventKey(
                "body digest",
                true,
                (source, request) -> Optional.of(Keys.event(
                        source, "sha256", Keys.contentHash(request.body()).text())));
    }

    /**
     * The last resort, for events without an id: the same text in the same scope counts as the same event if it arrives within about this
     * time. See {@link Keys#textInBucket}; the time is that of the arrival.
     *
     * @param scope within which texts are compared, such as a conversation
     * @param width how far apart duplicates may arrive, at least a millisecond
     * @throws SemelException.Invalid when the width is not positive
     */
    public static EventKey textInBucket(EventField scope, EventField text, Duration width) {
        if (width.compareTo(Duration.ofMillis(1)) < 0) {
            throw new SemelException.Invalid("The width of a key rule's bucket is " + width
                    + ": give the time within which duplicates arrive, at least a millisecond.");
        }
        return new EventKey(
                scope + "+" + text + " in " + width, scope.isSigned() && text.isSigned(), (source, request) -> {
                    Optional<String> where = scope.of(request);
                    Optional<String> what = text.of(request);
                    return where.isEmpty() || what.isEmpty()
                            ? Optional.empty()
                            : Optional.of(Keys.textInBucket(
                                    joined(List.of(source, where.get())), what.get(), width, request.received()));
                });
    }

    /**
     * Uses another rule for events to which this one does not apply: what it names is missing, cannot be decoded, is blank, or is too long
     * for a key.
     */
    public EventKey orElse(EventKey other) {
        return new EventKey(name + ", else " + other.name, signed && other.signed, (source, request) -> {
            Optional<Key> key = applicable(source, request);
            return key.isPresent() ? key : other.maker.make(source, request);
        });
    }

    private Optional<Key> applicable(String source, ReceivedRequest request) throws Refused {
        try {
            return maker.make(source, request);
        } catch (SemelException.Invalid e) {
            return Optional.empty();
        }
    }

    /** @throws Refused when the event does not carry what the rule needs */
    Key key(String source, ReceivedRequest request) throws Refused {
        try {
            return maker.make(source, request)
                    .orElseThrow(() -> Refused.event("the event has no id: expected " + name));
        } catch (SemelException.Invalid e) {
            throw Refused.event("the event's id cannot be a key");
        }
    }

    /** Whether everything it reads is part of the signed body. */
    boolean isSigned() {
        return signed;
    }

    /** Each with its length, so that two lists never give the same text. */
    private static String joined(List<String> values) {
        return values.size() == 1
                ? values.get(0)
                : String.join(
                        ",",
                        values.stream().map(each -> each.length() + ":" + each).toList());
    }

    /** The first of several rules that applies. */
    static EventKey firstOf(EventKey first, EventKey... others) {
        return Stream.concat(Stream.of(first), Arrays.stream(others))
                .reduce(EventKey::orElse)
                .orElseThrow();
    }

    /** The places that it reads. */
    @Override
    public String toString() {
        return name;
    }
}

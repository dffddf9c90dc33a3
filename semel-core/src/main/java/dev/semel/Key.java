package dev.semel;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What makes two calls "the same". Compared to the letter: case, trailing space, Unicode form and NUL all count. Immutable.
 *
 * <pre>{@code
 * Key.of("order-17")
 * Keys.messageId(event.id())
 * }</pre>
 *
 * The ways of deriving a key from a message are in {@code dev.semel.key.Keys}.
 */
public final class Key {
    /** The longest key in characters. */
    public static final int MAX_LENGTH = 255;

    private final String text;
    private final String lock;
    private final List<String> neighbours;

    private Key(String text, String lock, List<String> neighbours) {
        Text.check("key", text, MAX_LENGTH);
        this.text = text;
        this.lock = lock;
        this.neighbours = neighbours;
    }

    /**
     * The key with this text.
     *
     * @param text 1 to 255 characters
     * @throws SemelException.Invalid when it is empty, too long, or has half of a surrogate pair
     */
    public static Key of(String text) {
        return new Key(text, text, List.of());
    }

    /**
     * A key whose text carries a time bucket: a record under any of the neighbours counts as this one's. Lookup and insertion
     * happen under one lock. {@code Keys.textInBucket} makes such keys.
     *
     * @param text 1 to 255 characters
     * @param lock the text without its bucket, the same for all neighbours
     * @param neighbours other texts under which the same piece of work may already be recorded; at least one
     * @throws SemelException.Invalid when there are no neighbours, or one of the texts cannot be a key
     */
    public static Key withNeighbours(String text, String lock, List<String> neighbours) {
        if (neighbours.isEmpty()) {
            throw new SemelException.Invalid(
                    "A key without neighbours is its own lock. Give neighbours, or use Key.of(text).");
        }
        Text.check("key's lock", lock, MAX_LENGTH);
        neighbours.forEach(each -> Text.check("neighbouring key", each, MAX_LENGTH));
        return new Key(text, lock, List.copyOf(neighbours));
    }

    /** As it was given. */
    public String text() {
        return text;
    }

    /** The text that is locked while the record is looked up and created; the key itself unless there are neighbours. */
    public String lock() {
        return lock;
    }

    /** Other texts under which the same piece of work may already be recorded; usually none. */
    public List<String> neighbours() {
        return neighbours;
    }

    /**
     * A named way to find the key of a call: declared once on an operation or channel ({@code withKey}), composed of others, used by
     * {@code operation.call(...)} and {@code channel.message(...)}. Those that are ready, and compositions of several, are in
     * {@code dev.semel.key.KeyStrategies}. Immutable; as thread-safe as its function.
     *
     * <pre>{@code
     * Operation.atomic("place", Order.class, Receipt.class)
     *         .withKey(KeyStrategies.<Order>clientGiven("Idempotency-Key").orElse(KeyStrategies.value("order", Order::id)))
     * }</pre>
     *
     * @param <P> the payload that it looks at
     * @param name what is looked for, in messages about a key that was not found: "header Idempotency-Key"
     * @param function gives the key; empty if the call does not have what it takes, so that the next strategy is asked
     */
    public record Strategy<P>(String name, Function<? super CallFacts<? extends P>, Optional<Key>> function) {
        public Strategy {
            Text.checkName("name of a key strategy", name, 1_000);
        }

        /** The key that this strategy finds, or else the one that the other finds. */
        public Strategy<P> orElse(Strategy<? super P> other) {
            return new Strategy<>(name + ", or else " + other.name(), facts -> {
                Optional<Key> found = find(facts);
                return found.isPresent() ? found : other.find(facts);
            });
        }

        /**
         * The key, if the call has what it takes.
         *
         * @throws SemelException.Invalid when what is found cannot be a key, or the function throws
         */
        public Optional<Key> find(CallFacts<? extends P> facts) {
            try {
                return function.apply(facts);
            } catch (SemelException.Invalid e) {
                throw e;
            } catch (RuntimeException e) {
                throw new SemelException.Invalid(
                        facts.operation + ": the key strategy \"" + name + "\" throws "
                                + e.getClass().getName() + ". Let it give no key where the payload has none.",
                        e);
            }
        }

        /**
         * The key.
         *
         * @throws SemelException.Invalid when there is none, and as {@link #find}
         */
        public Key of(CallFacts<? extends P> facts) {
            return find(facts)
                    .orElseThrow(() -> new SemelException.Invalid(facts.operation + ": no key found (looked for " + name
                            + "). Without a key a retry would be new work: let the caller give one, or add a fallback"
                            + " with orElse(...)."));
        }
    }

    /**
     * What a strategy can make a key of.
     *
     * @param <P> the payload
     * @param operation or channel
     * @param metadata headers of the message or request; none unless given
     */
    public record CallFacts<P>(
            String operation, Tenant tenant, @Nullable P payload, Call.Origin origin, Map<String, String> metadata) {
        public CallFacts {
            metadata = Map.copyOf(metadata);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Key key
                && text.equals(key.text)
                && lock.equals(key.lock)
                && neighbours.equals(key.neighbours);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The text is not shown: keys may be secrets of the caller, and logs are read by many. */
    @Override
    public String toString() {
        return "Key[" + text.length() + " characters]";
    }
}

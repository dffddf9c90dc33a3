package dev.semel.key;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ways to derive a key from what a call carries. Prefer one that the sender made for the purpose ({@link #clientGiven},
 * {@link #messageId}) over one that is computed; {@link #textInBucket} is the last resort.
 *
 * <p>Form: a prefix for the kind and the parts, joined by colons: {@code evt:shopify:c-7:m%3A1}. Parts are percent-encoded as
 * UTF-8 (all but letters, digits and {@code - . _ ~}), so two different lists of parts, or two kinds, never give the same
 * key. An absent part is {@code *}, an empty one is nothing. A key that would exceed 255 characters becomes its prefix,
 * {@code :#} and the SHA-256 of the long form in hexadecimal; {@code #} marks a hash and occurs nowhere else.
 *
 * <p>Every method throws {@link SemelException.Invalid} when a part that must tell calls apart is empty, or is text that
 * cannot be stored (half of a surrogate pair).
 */
public final class Keys {
    private Keys() {}

    /** {@code msg:{id}}: the id that the transport gave the message. */
    public static Key messageId(String id) {
        return Parts.of("msg").required("message id", id).key();
    }

    /** {@code hash:#{sha256}}: equal bytes are the same call. Nothing is normalised. */
    public static Key contentHash(byte[] content) {
        return Parts.of("hash").hash(Hashes.of(content)).key();
    }

    /** As {@link #contentHash(byte[])} of the text in UTF-8. */
    public static Key contentHash(String content) {
        return contentHash(Parts.utf8("content", content));
    }

    /**
     * {@code json:#{sha256}}: JSON with the same meaning is the same call. Order, white space and number format do
     * not count.
     *
     * @param transportFields of the outermost object that are not part of the meaning (retry counter, receive time)
     */
    public static Key jsonHash(byte[] json, String... transportFields) {
        byte[] canonical = CanonicalJson.of("a content hash", json, Set.of(transportFields));
        return Parts.of("json").hash(Hashes.of(canonical)).key();
    }

    /** {@code mcu:{message}:{correlation}:{user}}; at least one must be there and not be empty. */
    public static Key composite(@Nullable String message, @Nullable String correlation, @Nullable String user) {
        checkAny("message, correlation and user", message, correlation, user);
        return Parts.of("mcu")
                .optional("message id", message)
                .optional("correlation id", correlation)
                .optional("user", user)
                .key();
    }

    /**
     * {@code key:{value}}: a key that the client made. The prefix keeps a client from forging a key of another kind.
     *
     * @param value 1 to 255 characters
     */
    public static Key clientGiven(String value) {
        return Parts.of("key").required("client's key", Key.of(value).text()).key();
    }

    /**
     * The client's key in a message's headers or metadata, if it is there. Names are compared without regard to case.
     *
     * @throws SemelException.Invalid also when the name occurs more than once
     */
    public static Optional<Key> clientGiven(Map<String, String> metadata, String name) {
        List<String> values = metadata.entrySet().stream()
                .filter(entry -> entry.getKey().equalsIgnoreCase(name))
                .map(Map.Entry::getValue)
                .toList();
        if (values.size() > 1) {
            throw new SemelException.Invalid(
                    "\"" + name + "\" was given " + values.size() + " times, so the key is ambiguous. Give it once.");
        }
        return values.stream().findFirst().map(Keys::clientGiven);
    }

    /**
     * {@code op:{source}:{request}:{action}:{aggregate}:{version}:{payload}}: the dimensions of an operation. At
     * least one of request, aggregate and payload hash must be there and not be empty.
     *
     * @param source where it came in, such as "slack_slash" or "scheduler"
     * @param sourceRequestId the source's own id for the request
     * @param action the requested action
     * @param aggregateId what it acts on
     * @param aggregateVersion of what it acts on
     * @param payloadHash of the payload's meaning, such as {@link Fingerprint#toString}
     */
    public static Key operation(
            String source,
            @Nullable String sourceRequestId,
            String action,
            @Nullable String aggregateId,
            @Nullable Long aggregateVersion,
            @Nullable String payloadHash) {
        checkAny("source request id, aggregate id and payload hash", sourceRequestId, aggregateId, payloadHash);
        return Parts.of("op")
                .required("source", source)
                .optional("source request id", sourceRequestId)
                .required("action", action)
                .optional("aggregate id", aggregateId)
                .optional("aggregate version", aggregateVersion == null ? null : aggregateVersion.toString())
                .optional("payload hash", payloadHash)
                .key();
    }

    /**
     * {@code txt:{scope}:#{sha256 of the text}:{width in ms}:{bucket}}: for messages that carry no id. The same text in the
     * same scope within one bucket's width is the same call. A duplicate may fall over a bucket's edge, so the key names the
     * buckets before and after as neighbours, and the form without a bucket as the lock; texts up to two widths apart may
     * therefore count as the same.
     *
     * <p>Text is compared in Unicode form NFC, its white space trimmed and each run of it taken as one space. Case counts.
     *
     * @param scope within which texts are compared, such as a conversation: without one, two people who say "yes" would be
     *     one
     * @param width of a bucket, at least a millisecond: how far apart duplicates may arrive
     * @param at when the message was made, by the sender's clock if it is known: redeliveries must show the same time
     */
    public static Key textInBucket(String scope, String text, Duration width, Instant at) {
        String normalised = normalised(text);
        if (normalised.isEmpty()) {
            throw new SemelException.Invalid("The text of a key is blank: unrelated calls would count as the same. Use"
                    + " another kind of key, such as the hash of an attachment.");
        }
        byte[] hash = Hashes.of(Parts.utf8("text", normalised));
        long millis = millis(width);
        try {
            long bucket = Math.floorDiv(at.toEpochMilli(), millis);
            return Key.withNeighbours(
                    bucketText(scope, hash, millis, bucket),
                    Parts.of("txt").required("scope", scope).hash(hash).text(),
                    List.of(
                            bucketText(scope, hash, millis, Math.subtractExact(bucket, 1)),
                            bucketText(scope, hash, millis, Math.addExact(bucket, 1))));
        } catch (ArithmeticException e) {
            throw new SemelException.Invalid(
                    "The time of a key, " + at
                            + ", is too far off to be counted in milliseconds. Give the time at which"
                            + " the message was made.",
                    e);
        }
    }

    /** {@code job:{tenant}:{queue}:{type}:{resource}}. */
    public static Key job(Tenant tenant, String queue, String type, String resource) {
        return job(tenant, queue, type).required("resource", resource).key();
    }

    /** {@code job:{tenant}:{queue}:{type}:#{sha256}}, for a job that is about no resource: equal payloads are the same job. */
    public static Key job(Tenant tenant, String queue, String type, byte[] payload) {
        return job(tenant, queue, type).hash(Hashes.of(payload)).key();
    }

    /** {@code evt:{source}:{conversation}:{message}}: an inbound event. */
    public static Key event(String source, String conversation, String message) {
        return Parts.of("evt")
                .required("source", source)
                .required("conversation", conversation)
                .required("message", message)
                .key();
    }

    /** {@code act:{action}:{conversation}:{target}:{event}}: one side effect of an event; the target may be absent. */
    public static Key action(String action, String conversation, @Nullable String target, String event) {
        return Parts.of("act")
                .required("action", action)
                .required("conversation", conversation)
                .optional("target", target)
                .required("event", event)
                .key();
    }

    private static Parts job(Tenant tenant, String queue, String type) {
        return Parts.of("job")
                .required("tenant", tenant.name())
                .required("queue", queue)
                .required("type", type);
    }

    private static String bucketText(String scope, byte[] hash, long millis, long bucket) {
        return Parts.of("txt")
                .required("scope", scope)
                .hash(hash)
                .number(millis)
                .number(bucket)
                .text();
    }

    private static long millis(Duration width) {
        long millis;
        try {
            millis = width.toMillis();
        } catch (ArithmeticException e) {
            millis = 0;
        }
        if (millis < 1) {
            throw new SemelException.Invalid("A bucket's width is " + width
                    + ": it must be a positive number of milliseconds. Give the time within which duplicates arrive.");
        }
        return millis;
    }

    private static String normalised(String text) {
        String composed = Normalizer.normalize(text, Normalizer.Form.NFC);
        StringBuilder result = new StringBuilder(composed.length());
        boolean gap = false;
        for (int i = 0; i < composed.length(); i++) {
            char c = composed.charAt(i);
            if (Character.isWhitespace(c) || Character.isSpaceChar(c)) {
                gap = true;
            } else {
                if (gap && result.length() > 0) {
                    result.append(' ');
                }
                gap = false;
                result.append(c);
            }
        }
        return result.toString();
    }

    private static void checkAny(String names, @Nullable String... values) {
        for (String value : values) {
            if (value != null && !value.isEmpty()) {
                return;
            }
        }
        throw new SemelException.Invalid(
                "All of " + names + " of a key are missing or empty: unrelated calls would count"
                        + " as the same. Give at least one, or use another kind of key.");
    }
}

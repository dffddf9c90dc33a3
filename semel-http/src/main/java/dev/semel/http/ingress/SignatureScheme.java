package dev.semel.http.ingress;

import dev.semel.http.ingress.HmacHeader.Algorithm;
import dev.semel.http.ingress.HmacHeader.Encoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** How a sender signs: which text in front of the body is signed with it, and where the signatures are. */
sealed interface SignatureScheme {
    /** Longer headers are refused before they are split. */
    int LONGEST_HEADER = 8_192;

    /** More signatures than a rotation needs. */
    int MOST_SIGNATURES = 32;

    /** Reads the headers; does no cryptography. */
    Signed read(ReceivedRequest request) throws Refused;

    /** The bytes of a secret; empty when the text cannot be a secret of this scheme. */
    default Optional<byte[]> key(String secret) {
        return Optional.of(secret.getBytes(StandardCharsets.UTF_8));
    }

    /** The form of a secret, for messages. */
    default String secretForm() {
        return "at least " + SignatureCheck.SHORTEST_SECRET + " bytes";
    }

    /** The headers that it reads. They are not kept with the message, except where the key needs them. */
    List<String> headers();

    /**
     * What the headers say.
     *
     * @param prefix signed in front of the body
     * @param candidates one of them must be the signature
     * @param timestamp signed, in seconds since 1970; empty where the scheme has none
     */
    record Signed(
            Algorithm algorithm, Encoding encoding, String prefix, List<String> candidates, OptionalLong timestamp) {}

    /** {@code webhook-id}, {@code webhook-timestamp}, {@code webhook-signature: v1,<base64> v1,<base64>}. */
    record Standard() implements SignatureScheme {
        static final String ID = "webhook-id";
        private static final String TIMESTAMP = "webhook-timestamp";
        private static final String SIGNATURE = "webhook-signature";
        private static final String SECRET_PREFIX = "whsec_";

        @Override
        public Signed read(ReceivedRequest request) throws Refused {
            String id = signingHeader(request, ID);
            if (id.length() > 255 || id.indexOf('.') >= 0 || id.indexOf(' ') >= 0) {
                throw Refused.signature(ID + " is too long or contains a separator");
            }
            Timestamp time = Timestamp.of(signingHeader(request, TIMESTAMP), TIMESTAMP);
            List<String> candidates = candidates(signingHeader(request, SIGNATURE), ' ', "v1,", any -> true);
            return new Signed(
                    Algorithm.SHA256,
                    Encoding.BASE64,
                    id + "." + time.text() + ".",
                    candidates,
                    OptionalLong.of(time.seconds()));
        }

        @Override
        public Optional<byte[]> key(String secret) {
            String encoded = secret.startsWith(SECRET_PREFIX) ? secret.substring(SECRET_PREFIX.length()) : secret;
            try {
                return Optional.of(Base64.getDecoder().decode(encoded));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public String secretForm() {
            return "whsec_ and the base64 form of " + SignatureScheme.super.secretForm();
        }

        @Override
        public List<String> headers() {
            return List.of(ID, TIMESTAMP, SIGNATURE);
        }
    }

    /** {@code X-Slack-Request-Timestamp}, {@code X-Slack-Signature: v0=<hex>}. */
    record Slack() implements SignatureScheme {
        private static final String TIMESTAMP = "X-Slack-Request-Timestamp";
        private static final String SIGNATURE = "X-Slack-Signature";

        @Override
        public Signed read(ReceivedRequest request) throws Refused {
            Timestamp time = Timestamp.of(signingHeader(request, TIMESTAMP), TIMESTAMP);
            String signature = behind("v0=", signingHeader(request, SIGNATURE));
            return new Signed(
                    Algorithm.SHA256,
                    Encoding.HEX,
                    "v0:" + time.text() + ":",
                    List.of(signature),
                    OptionalLong.of(time.seconds()));
        }

        @Override
        public List<String> headers() {
            return List.of(TIMESTAMP, SIGNATURE);
        }
    }

    /** {@code Stripe-Signature: t=<seconds>,v1=<hex>,v1=<hex>}. */
    record Stripe() implements SignatureScheme {
        private static final String SIGNATURE = "Stripe-Signature";

        @Override
        public Signed read(ReceivedRequest request) throws Refused {
            String header = signingHeader(request, SIGNATURE);
            List<String> times = new ArrayList<>();
            List<String> candidates =
                    candidates(header, ',', "v1=", part -> !part.startsWith("t=") || times.add(part.substring(2)));
            if (times.size() != 1) {
                throw Refused.signature(SIGNATURE + " must have one timestamp (t=)");
            }
            Timestamp time = Timestamp.of(times.get(0), SIGNATURE);
            return new Signed(
                    Algorithm.SHA256, Encoding.HEX, time.text() + ".", candidates, OptionalLong.of(time.seconds()));
        }

        @Override
        public List<String> headers() {
            return List.of(SIGNATURE);
        }
    }

    /** One header with an HMAC of the body and of nothing else: GitHub, Shopify, and others. */
    record OfBody(HmacHeader form) implements SignatureScheme {
        @Override
        public Signed read(ReceivedRequest request) throws Refused {
            String signature = behind(form.prefix(), signingHeader(request, form.name()));
            return new Signed(form.algorithm(), form.encoding(), "", List.of(signature), OptionalLong.empty());
        }

        @Override
        public List<String> headers() {
            return List.of(form.name());
        }
    }

    /** Decimal seconds without sign, leading zeros or anything else: there is one text for each time. */
    record Timestamp(String text, long seconds) {
        private static final Pattern FORM = Pattern.compile("0|[1-9][0-9]{0,11}");

        static Timestamp of(String text, String header) throws Refused {
            if (!FORM.matcher(text).matches()) {
                throw Refused.signature("the timestamp in " + header + " is not a number of seconds");
            }
            return new Timestamp(text, Long.parseLong(text));
        }
    }

    private static String signingHeader(ReceivedRequest request, String name) throws Refused {
        String value = request.header(name)
                .orElseThrow(() -> Refused.signature("the header " + name + " is missing, sent twice or not ASCII"));
        if (value.length() > LONGEST_HEADER) {
            throw Refused.signature("the header " + name + " is too long");
        }
        return value;
    }

    private static String behind(String prefix, String value) throws Refused {
        if (!value.startsWith(prefix)) {
            throw Refused.signature("the signature has another version or form than " + prefix);
        }
        return value.substring(prefix.length());
    }

    /** The parts of a header that have this prefix; other versions are left out. */
    private static List<String> candidates(String header, char separator, String prefix, Predicate<String> each)
            throws Refused {
        List<String> candidates = new ArrayList<>();
        int parts = 0;
        for (int from = 0; from <= header.length(); ) {
            int at = header.indexOf(separator, from);
            int end = at < 0 ? header.length() : at;
            String part = header.substring(from, end);
            if (++parts > MOST_SIGNATURES) {
                throw Refused.signature("there are more than " + MOST_SIGNATURES + " signatures");
            }
            if (each.test(part) && part.startsWith(prefix)) {
                candidates.add(part.substring(prefix.length()));
            }
            from = end + 1;
        }
        if (candidates.isEmpty()) {
            throw Refused.signature("there is no signature of the version " + prefix.substring(0, prefix.length() - 1));
        }
        return candidates;
    }
}

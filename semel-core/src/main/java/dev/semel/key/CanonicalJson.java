package dev.semel.key;

import dev.semel.SemelException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * One form for all JSON texts of the same meaning: names sorted by UTF-16 code unit, no white space, strings
 * minimally escaped, numbers exact (see {@link CanonicalWriter}). Rejected: text that is not UTF-8, a duplicate name
 * in one object, a depth over 64, half of a surrogate pair, anything after the value.
 *
 * <p>One pass: each member is written where it comes, and an object's members are rearranged at its end only if they
 * were not in order. Excluded fields are read and checked like all others, and dropped afterwards.
 */
final class CanonicalJson {
    static final int DEEPEST = 64;

    private static final int SHOWN = 40;

    // The size of the whole text is bounded by the caller, and numbers are never converted.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    private final String subject;
    private final JsonParser parser;
    private final MemberRule rule;
    private final CanonicalWriter out;
    private final List<String> absent = new ArrayList<>();

    private CanonicalJson(String subject, JsonParser parser, MemberRule rule, int length) {
        this.subject = subject;
        this.parser = parser;
        this.rule = rule;
        this.out = new CanonicalWriter(subject, length + 16);
    }

    /**
     * @param subject whose JSON it is, for messages
     * @param excluded names of fields of the outermost object that do not count
     */
    static byte[] of(String subject, byte[] json, Set<String> excluded) {
        return of(subject, json, new MemberRule(excluded, false, Map.of()));
    }

    /**
     * Which members do not count.
     *
     * @param excluded names of fields of the outermost object
     * @param nulls whether members that are null do not count, at any depth
     * @param defaults fields of the outermost object that do not count if they have this value, in canonical form
     */
    record MemberRule(Set<String> excluded, boolean nulls, Map<String, byte[]> defaults) {
        /** Whether a member counts that was written at this place. */
        boolean counts(String name, boolean outermost, CanonicalWriter written, int from) {
            if (outermost && excluded.contains(name) || nulls && written.endsWith(from, NULL)) {
                return false;
            }
            byte[] same = outermost ? defaults.get(name) : null;
            return same == null || !written.endsWith(from, same);
        }
    }

    /** @param subject whose JSON it is, for messages */
    static byte[] of(String subject, byte[] json, MemberRule rule) {
        return read(subject, json, rule).out.toBytes();
    }

    /** The fields of the outermost object that are there, and count as absent by the rule. */
    static List<String> absent(String subject, byte[] json, MemberRule rule) {
        return read(subject, json, rule).absent;
    }

    private static CanonicalJson read(String subject, byte[] json, MemberRule rule) {
        checkUtf8(subject, json);
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            CanonicalJson read = new CanonicalJson(subject, parser, rule, json.length);
            read.document();
            return read;
        } catch (JacksonException e) {
            TokenStreamLocation at = e.getLocation();
            String where = at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
            throw new SemelException.Invalid(
                    "The JSON of " + subject + " cannot be read" + where
                            + ". Give well-formed JSON, or declare the payload as byte[].",
                    e);
        }
    }

    private void document() {
        JsonToken first = parser.nextToken();
        if (first == null) {
            throw new SemelException.Invalid("The JSON of " + subject
                    + " is empty. Give a value, or no payload at all, or declare the payload as byte[].");
        }
        value(first, 1);
        if (parser.nextToken() != null) {
            throw new SemelException.Invalid(
                    "The JSON of " + subject + " has more text after its value. Give exactly one value.");
        }
    }

    private void value(JsonToken token, int depth) {
        switch (token) {
            case START_OBJECT -> object(depth);
            case START_ARRAY -> array(depth);
            case VALUE_STRING -> out.string(parser.getString());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                out.number(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength());
            default -> out.ascii(token.asString());
        }
    }

    private void array(int depth) {
        checkDepth(depth);
        out.put('[');
        boolean more = false;
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (more) {
                out.put(',');
            }
            more = true;
            value(token, depth + 1);
        }
        out.put(']');
    }

    private void object(int depth) {
        checkDepth(depth);
        out.put('{');
        int begin = out.size();
        List<JsonMember> members = new ArrayList<>();
        boolean asItIs = true;
        String previous = null;
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            if (previous != null) {
                out.put(',');
                asItIs &= previous.compareTo(name) < 0;
            }
            int start = out.size();
            out.string(name);
            out.put(':');
            int content = out.size();
            value(parser.nextToken(), depth + 1);
            boolean counts = rule.counts(name, depth == 1, out, content);
            asItIs &= counts;
            if (!counts && depth == 1 && !rule.excluded.contains(name)) {
                absent.add(name);
            }
            members.add(new JsonMember(name, start, out.size(), counts));
            previous = name;
        }
        if (!asItIs) {
            rearrange(begin, members);
        }
        out.put('}');
    }

    private void rearrange(int begin, List<JsonMember> members) {
        byte[] written = out.copy(begin, out.size());
        out.cutTo(begin);
        members.sort(Comparator.comparing(JsonMember::name));
        String previous = null;
        for (JsonMember member : members) {
            checkDifferent(previous, member.name);
            previous = member.name;
            if (member.counts) {
                if (out.size() > begin) {
                    out.put(',');
                }
                out.put(written, member.start - begin, member.end - begin);
            }
        }
    }

    private void checkDifferent(@Nullable String previous, String name) {
        if (name.equals(previous)) {
            String shown = name.length() > SHOWN ? name.substring(0, SHOWN) + "..." : name;
            throw new SemelException.Invalid("The JSON of " + subject + " has the field \"" + shown
                    + "\" twice in one object, so its value is ambiguous. Give it once.");
        }
    }

    private void checkDepth(int depth) {
        if (depth > DEEPEST) {
            throw new SemelException.Invalid("The JSON of " + subject + " is nested deeper than " + DEEPEST
                    + " levels. Flatten it, or declare the payload as byte[].");
        }
    }

    // The parser would also take UTF-16, UTF-32, overlong forms and surrogates as bytes. NUL is never part of a JSON
    // text.
    private static void checkUtf8(String subject, byte[] json) {
        boolean ascii = true;
        for (byte b : json) {
            ascii &= b > 0;
        }
        if (ascii) {
            return;
        }
        try {
            CharSequence text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json));
            if (text.toString().indexOf('\0') < 0) {
                return;
            }
        } catch (CharacterCodingException e) {
            throw new SemelException.Invalid(
                    "The JSON of " + subject + " is not UTF-8. Encode it as UTF-8, or declare the payload as byte[].",
                    e);
        }
        throw new SemelException.Invalid("The JSON of " + subject
                + " has a NUL byte: it is not UTF-8 text. Encode it as UTF-8, or declare the payload as byte[].");
    }

    private record JsonMember(String name, int start, int end, boolean counts) {}
}

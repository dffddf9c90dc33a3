package dev.semel.audit;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The only way by which payloads, results and free text reach a person or the audit: values with secret-like names
 * are masked, long payloads are cut, and of a payload that is not JSON only the length is shown.
 */
public final class Redactor {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String BLOT = "***";
    private static final int LONGEST = 2_000;
    private static final Pattern SECRET = Pattern.compile(
            "pass|secret|token|authori[sz]ation|credential|api.?key|private.?key|cookie|session|cvv|cvc|pin$|card|iban|ssn");

    /** Credentials in free text: after a name that speaks of a secret, in a URL, after "Bearer", and signed tokens. */
    private static final Pattern CREDENTIAL = Pattern.compile(
            "(?i)(\\b[\\w.-]*(?:password|passwd|secret|token|authori[sz]ation|credential|api[_-]?key|private[_-]?key|cookie)"
                    + "\\w*\"?\\s*[=:]\\s*\"?(?:bearer\\s+|basic\\s+)?)[^\\s\",;&]+"
                    + "|(\\b(?:bearer|basic)\\s+)[\\w+/=.~-]{8,}"
                    + "|(://)[^\\s/@:]+:[^\\s/@]+(?=@)"
                    + "|()\\beyJ[\\w-]{5,}\\.[\\w-]+\\.[\\w-]*");

    /** How every signed token begins. */
    private static final String TOKEN = "eyJ";

    private static final Pattern CARD = Pattern.compile("(?<![0-9A-Za-z])(?:[0-9][ -]?){12,18}[0-9](?![0-9A-Za-z])");

    private static final Set<String> HARMLESS = Set.of("passenger", "passengers", "discard", "discarded");

    private Redactor() {}

    /** Stored bytes in a form that may be shown; "null" when there are none. */
    public static String shown(byte @Nullable [] stored) {
        if (stored == null) {
            return "null";
        }
        try {
            JsonNode node = JSON.readTree(new String(stored, StandardCharsets.UTF_8));
            return cut(JSON.writeValueAsString(blotted(node)));
        } catch (JacksonException e) {
            return stored.length + " bytes that are not JSON";
        }
    }

    /** A sentence from anywhere, such as the message of an exception, without credentials and card numbers. */
    public static String text(String text) {
        return CARD.matcher(credentials(text))
                .replaceAll(found -> Matcher.quoteReplacement(isCard(found.group()) ? BLOT : found.group()));
    }

    /** The name or id of somebody or something, without credentials. Numbers stay: an id may look like that of a card. */
    public static String credentials(String text) {
        if (!mayHoldCredential(text)) {
            return text;
        }
        return CREDENTIAL.matcher(text).replaceAll(found -> Matcher.quoteReplacement(before(found) + BLOT));
    }

    /** Every alternative of {@link #CREDENTIAL} needs one of these. Names and ids have none, and each call has several. */
    private static boolean mayHoldCredential(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '='
                    || each == ':'
                    || each <= ' ' && (isBefore(i, "bearer", text) || isBefore(i, "basic", text))
                    || (each | 0x20) == 'e' && text.regionMatches(true, i, TOKEN, 0, TOKEN.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBefore(int end, String word, String text) {
        return text.regionMatches(true, end - word.length(), word, 0, word.length());
    }

    private static String before(MatchResult found) {
        for (int group = 1; group <= found.groupCount(); group++) {
            if (found.group(group) != null) {
                return found.group(group);
            }
        }
        return "";
    }

    /** By the check digit, so that order numbers and times stay readable. */
    private static boolean isCard(String text) {
        int sum = 0;
        boolean twice = false;
        for (int i = text.length() - 1; i >= 0; i--) {
            int digit = text.charAt(i) - '0';
            if (digit < 0) {
                continue;
            }
            int counted = twice ? digit * 2 : digit;
            sum += counted > 9 ? counted - 9 : counted;
            twice = !twice;
        }
        return sum % 10 == 0;
    }

    private static JsonNode blotted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode clean = JSON.createObjectNode();
            object.properties().forEach(field -> {
                JsonNode value =
                        secret(field.getKey()) ? JSON.getNodeFactory().stringNode(BLOT) : blotted(field.getValue());
                clean.set(field.getKey(), value);
            });
            return clean;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode clean = JSON.createArrayNode();
            array.forEach(each -> clean.add(blotted(each)));
            return clean;
        }
        return node;
    }

    private static boolean secret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !HARMLESS.contains(lower) && SECRET.matcher(lower).find();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "... (" + text.length() + " characters)";
    }
}

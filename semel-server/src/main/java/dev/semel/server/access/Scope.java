package dev.semel.server.access;

import dev.semel.SemelException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a token allows: a right, for all names or for some.
 *
 * @param names {@code *} for all names, {@code orders.*} for those that begin with {@code orders.}, otherwise one name
 */
public record Scope(Right right, String names) {
    private static final String ALL = "*";

    /** What can be done by the API. */
    public enum Right {
        /** Begin, renew and end operations, and ask for their status. */
        RUN,
        /** Send messages to channels. */
        SEND,
        /** Claim messages of channels and end them. */
        WORK;

        /** As it is written in a scope: {@code run}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Scope {
        int star = names.indexOf('*');
        if (names.isEmpty() || star >= 0 && star < names.length() - 1) {
            throw new SemelException.Invalid("The scope " + right.code() + ":" + names
                    + " names nothing: write a name, or the beginning of names and one * at the end.");
        }
    }

    /**
     * Reads {@code run}, {@code send:orders} or {@code work:orders.*}.
     *
     * @throws SemelException.Invalid when it is none of these
     */
    public static Scope of(String text) {
        int colon = text.indexOf(':');
        String right = colon < 0 ? text : text.substring(0, colon);
        return Arrays.stream(Right.values())
                .filter(each -> each.code().equals(right))
                .findFirst()
                .map(each -> new Scope(each, colon < 0 ? ALL : text.substring(colon + 1)))
                .orElseThrow(() -> new SemelException.Invalid("\"" + text + "\" is not a scope. Write one of "
                        + Arrays.stream(Right.values()).map(Right::code).collect(Collectors.joining(", "))
                        + ", and for some names only a colon and the names, as in send:orders.*"));
    }

    /** Whether it allows this for the operation or channel of this name. */
    public boolean allows(Right asked, String name) {
        return right == asked
                && (names.endsWith(ALL) ? name.startsWith(names.substring(0, names.length() - 1)) : name.equals(names));
    }

    /** As it is configured. */
    @Override
    public String toString() {
        return names.equals(ALL) ? right.code() : right.code() + ":" + names;
    }
}

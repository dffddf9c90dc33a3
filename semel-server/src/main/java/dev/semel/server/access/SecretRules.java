package dev.semel.server.access;

import java.util.regex.Pattern;

/** What a secret must be like that clients send in a header. */
final class SecretRules {
    /** Shorter secrets can be guessed. */
    static final int SHORTEST = 20;

    static final int LONGEST = 512;

    /** A secret with fewer different characters was typed, not drawn. */
    static final int FEWEST_CHARACTERS = 8;

    private static final Pattern SENDABLE = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private SecretRules() {}

    /** What is wrong with it, in words that continue "its secret"; empty when nothing is. Does not repeat it. */
    static String problem(String secret) {
        if (secret.length() < SHORTEST || secret.length() > LONGEST) {
            return "has " + secret.length() + " characters; use " + SHORTEST + " to " + LONGEST + " random ones";
        }
        return SENDABLE.matcher(secret).matches()
                ? ""
                : "cannot be sent in a header; use letters, digits and - . _ ~ + /";
    }

    /** As {@link #problem}, for a secret that can do more harm. */
    static String problemForOperator(String secret) {
        String problem = problem(secret);
        return problem.isEmpty() && secret.chars().distinct().count() < FEWEST_CHARACTERS
                ? "has fewer than " + FEWEST_CHARACTERS + " different characters; draw it: openssl rand -base64 32"
                : problem;
    }
}

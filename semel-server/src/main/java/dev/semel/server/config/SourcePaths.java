package dev.semel.server.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The paths of all sources: each must be hard to guess, and no two may meet. */
final class SourcePaths {
    /** The server answers below these itself. */
    static final List<String> RESERVED = List.of("/livez", "/readyz", "/metrics", "/api", "/admin", "/console");

    private static final Pattern FORM = Pattern.compile("(/[A-Za-z0-9._~-]{1,128}){1,16}");
    private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]+");
    private static final Pattern WORD = Pattern.compile("[a-z]{8}|[A-Z]{8}");
    private static final int LEAST_RANDOM = 16;
    private static final int LEAST_CHANGES = 3;
    private static final Set<String> DOTS = Set.of(".", "..");

    private final List<Taken> taken = new ArrayList<>();

    private record Taken(String source, String path, boolean withParts) {}

    /** @throws IllegalArgumentException that says what would be right */
    static String checked(String path) {
        if (!FORM.matcher(path).matches() || Arrays.stream(path.split("/")).anyMatch(DOTS::contains)) {
            throw new IllegalArgumentException(
                    "not a path; write /webhooks/sender/RANDOM with letters, digits, dots, hyphens and underscores,"
                            + " without a slash at the end");
        }
        for (String own : RESERVED) {
            if (isAtOrBelow(path, own)) {
                throw new IllegalArgumentException(
                        own + " and what is below it belong to the server; write another path");
            }
        }
        return path;
    }

    /**
     * Whether one part looks random: 16 characters or more, not counting separators, in which letters and digits take turns and which has
     * no long word.
     */
    static boolean isHardToGuess(String path) {
        return Arrays.stream(path.split("/")).anyMatch(SourcePaths::isRandom);
    }

    private static boolean isRandom(String part) {
        String bare = part.replaceAll("[._~-]", "");
        int changes = 0;
        for (int i = 1; i < bare.length(); i++) {
            changes += Character.isDigit(bare.charAt(i)) != Character.isDigit(bare.charAt(i - 1)) ? 1 : 0;
        }
        boolean word =
                !HEXADECIMAL.matcher(bare).matches() && WORD.matcher(bare).find();
        return bare.length() >= LEAST_RANDOM
                && changes >= LEAST_CHANGES
                && !word
                && bare.chars().distinct().count() >= LEAST_RANDOM / 2;
    }

    /**
     * Takes a path, or says which source has it.
     *
     * @param withParts whether paths below it are the source's, too
     * @return the name of the other source; empty when the path was free
     */
    String take(String source, String path, boolean withParts) {
        String other = taken.stream()
                .filter(each -> each.path.equals(path)
                        || each.withParts && isAtOrBelow(path, each.path)
                        || withParts && isAtOrBelow(each.path, path))
                .map(Taken::source)
                .findFirst()
                .orElse("");
        taken.add(new Taken(source, path, withParts));
        return other;
    }

    private static boolean isAtOrBelow(String path, String above) {
        return path.equals(above) || path.startsWith(above + "/");
    }
}

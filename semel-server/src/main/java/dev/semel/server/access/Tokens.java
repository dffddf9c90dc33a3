package dev.semel.server.access;

import dev.semel.SemelException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tokens that this server accepts. Only their SHA-256 is kept. Thread-safe. */
public final class Tokens {
    /** Shorter secrets can be guessed. */
    static final int SHORTEST_SECRET = 20;

    private static final int LONGEST_SECRET = 512;
    private static final Pattern BEARER = Pattern.compile("(?i)bearer +([A-Za-z0-9._~+/=-]{1,512})");
    private static final Pattern SENDABLE = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private final List<KnownToken> known;

    private record KnownToken(byte[] digest, Caller caller) {}

    private Tokens(List<KnownToken> known) {
        this.known = known;
    }

    /** @throws SemelException.Misconfigured naming all faults: of names, secrets and scopes */
    public static Tokens of(List<Token> tokens) {
        List<String> faults = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> secrets = new HashSet<>();
        List<KnownToken> known = new ArrayList<>();
        for (Token token : tokens) {
            String which = "token " + token.name() + ": ";
            if (!token.name().matches("[A-Za-z0-9._-]{1,100}")) {
                faults.add("token " + (known.size() + 1)
                        + ": its name must have 1 to 100 letters, digits, dots, hyphens or underscores");
            }
            if (!names.add(token.name())) {
                faults.add(which + "another token has the same name");
            }
            String secret = token.secret();
            if (secret.length() < SHORTEST_SECRET || secret.length() > LONGEST_SECRET) {
                faults.add(which + "its secret has " + secret.length() + " characters; use " + SHORTEST_SECRET + " to "
                        + LONGEST_SECRET + " random ones");
            } else if (!SENDABLE.matcher(secret).matches()) {
                faults.add(which + "its secret cannot be sent in a header; use letters, digits and - . _ ~ + /");
            }
            if (!secrets.add(secret)) {
                faults.add(which + "another token has the same secret");
            }
            if (token.scopes().isEmpty()) {
                faults.add(which + "it has no scope, so it allows nothing; add run, send or work");
            }
            known.add(new KnownToken(digest(secret), new Caller(token.name(), token.tenant(), token.scopes())));
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("tokens of the API", faults);
        }
        return new Tokens(List.copyOf(known));
    }

    /** Whose token an Authorization header carries; null when it is none of ours. Takes as long for each of them. */
    @Nullable
    Caller find(@Nullable String authorization) {
        var bearer = BEARER.matcher(authorization == null ? "" : authorization);
        byte[] sent = digest(bearer.matches() ? bearer.group(1) : "");
        Caller found = null;
        for (KnownToken each : known) {
            if (MessageDigest.isEqual(each.digest, sent)) {
                found = each.caller;
            }
        }
        return found;
    }

    private static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java runtime has no SHA-256.", e);
        }
    }

    /** Names only. */
    @Override
    public String toString() {
        return "Tokens" + known.stream().map(each -> each.caller.name()).toList();
    }
}

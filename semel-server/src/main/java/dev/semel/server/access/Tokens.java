package dev.semel.server.access;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tokens that this server accepts. Only their SHA-256 is kept. Thread-safe. */
public final class Tokens {
    private static final Pattern BEARER = Pattern.compile("(?i)bearer +([A-Za-z0-9._~+/=-]{1,512})");

    private final List<KnownToken> known;

    private record KnownToken(SecretDigest digest, Caller caller) {}

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
            String problem = SecretRules.problem(secret);
            if (!problem.isEmpty()) {
                faults.add(which + "its secret " + problem);
            }
            if (!secrets.add(secret)) {
                faults.add(which + "another token has the same secret");
            }
            if (token.scopes().isEmpty()) {
                faults.add(which + "it has no scope, so it allows nothing; add run, send or work");
            }
            known.add(
                    new KnownToken(SecretDigest.of(secret), new Caller(token.name(), token.tenant(), token.scopes())));
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
        SecretDigest sent = SecretDigest.of(bearer.matches() ? bearer.group(1) : "");
        Caller found = null;
        for (KnownToken each : known) {
            if (each.digest.equals(sent)) {
                found = each.caller;
            }
        }
        return found;
    }

    /** Names only. */
    @Override
    public String toString() {
        return "Tokens" + known.stream().map(each -> each.caller.name()).toList();
    }
}

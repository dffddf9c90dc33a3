package dev.semel.server.config;

import dev.semel.server.config.Secrets.SecretLookup;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.Mark;

/**
 * Replaces {@code ${env:NAME}} and {@code ${file:/path}} by their values; {@code $${} stands for {@code ${}. A value is not searched for
 * further references. Each variable and file is read once.
 */
final class ReferenceExpander {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,199}");
    private static final int LONGEST = Secrets.LARGEST_FILE + (8 << 10);
    private static final String FORMS = "write ${env:NAME} or ${file:/path}, or $${ for the characters themselves";

    private final Secrets secrets;
    private final FindingList findings;
    private final Map<String, SecretLookup> lookups = new HashMap<>();

    ReferenceExpander(Secrets secrets, FindingList findings) {
        this.secrets = secrets;
        this.findings = findings;
    }

    /** Empty when a reference leads nowhere, which is reported. */
    Optional<ConfigText> expand(String written, Mark at) {
        StringBuilder text = new StringBuilder();
        StringBuilder masked = new StringBuilder();
        boolean sound = true;
        int from = 0;
        while (from < written.length()) {
            int next = written.indexOf("${", from);
            int plainEnd = next < 0 ? written.length() : next;
            boolean escaped = next > from && written.charAt(next - 1) == '$';
            String plain = written.substring(from, escaped ? plainEnd - 1 : plainEnd);
            text.append(plain);
            masked.append(plain.replace(ConfigText.REFERENCE, '?'));
            from = plainEnd;
            if (escaped) {
                text.append("${");
                masked.append("${");
                from = next + 2;
            } else if (next >= 0) {
                int end = written.indexOf('}', next);
                String reference = end < 0 ? "" : written.substring(next + 2, end);
                Optional<String> value = value(reference, at);
                sound &= value.isPresent();
                text.append(value.orElse(""));
                masked.append(ConfigText.REFERENCE);
                from = end < 0 ? written.length() : end + 1;
            }
            if (text.length() > LONGEST) {
                findings.fault(at, "a value is longer than " + LONGEST + " characters with its references");
                return Optional.empty();
            }
        }
        return sound ? Optional.of(new ConfigText(text.toString(), written, masked.toString(), at)) : Optional.empty();
    }

    private Optional<String> value(String reference, Mark at) {
        if (reference.startsWith("env:")) {
            String name = reference.substring("env:".length());
            if (!VARIABLE.matcher(name).matches()) {
                findings.fault(
                        at, "a reference does not name an environment variable: use letters, digits and underscores");
                return Optional.empty();
            }
            return found(
                    lookups.computeIfAbsent(reference, any -> secrets.variable(name)),
                    "the environment variable " + name,
                    at);
        }
        if (reference.startsWith("file:")) {
            String name = reference.substring("file:".length());
            SecretLookup lookup = lookups.computeIfAbsent(reference, any -> secrets.file(name));
            if (lookup.readableByAll()) {
                findings.warn(at, "the file " + name + " can be read by every user of this machine: chmod 600 it");
            }
            return found(lookup, "the file " + ConfigText.quoted(name), at);
        }
        findings.fault(at, "a value has a reference of an unknown kind: " + FORMS);
        return Optional.empty();
    }

    private Optional<String> found(SecretLookup lookup, String what, Mark at) {
        if (lookup.text() == null) {
            findings.fault(at, what + " " + lookup.problem());
        }
        return Optional.ofNullable(lookup.text());
    }
}

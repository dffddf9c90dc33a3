package dev.semel.policy;

import dev.semel.Policy;
import dev.semel.Policy.DeadHead;
import dev.semel.Policy.Retention;
import dev.semel.PolicyBuilder;
import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads policies from flat configuration, and gathers every fault before it refuses. Used once. */
final class PolicySettings {
    private static final String PREFIX = "semel.policy.";
    private static final String EXTENDS = "extends";
    private static final String RETENTION = "retention";

    private final Catalogue catalogue;
    private final List<String> faults = new ArrayList<>();

    PolicySettings(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** How one setting is put into the builder; throws {@link IllegalArgumentException} with what would be right. */
    private interface Setter {
        void set(PolicyBuilder policy, String value);
    }

    private static final Map<String, Setter> SETTERS = setters();

    private static Map<String, Setter> setters() {
        var setters = new LinkedHashMap<String, Setter>();
        setters.put("max-attempts", (p, v) -> p.withMaxAttempts(Values.number(v)));
        setters.put("backoff", (p, v) -> p.withBackoff(Values.backoff(v)));
        setters.put("jitter", (p, v) -> p.withJitter(Values.jitter(v)));
        setters.put("retry-budget", (p, v) -> p.withRetryBudget(Values.number(v)));
        setters.put("max-retry-after", (p, v) -> p.withMaxRetryAfter(Values.duration(v)));
        setters.put("attempt-timeout", (p, v) -> p.withAttemptTimeout(Values.duration(v)));
        setters.put("deadline", PolicySettings::setDeadline);
        setters.put("lease", (p, v) -> p.withLease(Values.duration(v)));
        setters.put("redelivery", PolicySettings::setRedelivery);
        setters.put("repeatable", (p, v) -> p.withRepeatable(Values.flag(v)));
        setters.put("store-failures", (p, v) -> p.withStoredFailures(Values.flag(v)));
        setters.put("dead-letters", (p, v) -> p.withDeadLetters(Values.flag(v)));
        setters.put("dead-head", (p, v) -> p.withDeadHead(Values.choice(v, DeadHead.values())));
        setters.put("retry-on", (p, v) -> RuleText.read(v).forEach(r -> p.retryOn(r.type(), r.category())));
        setters.put("fail-on", (p, v) -> RuleText.read(v).forEach(r -> p.failOn(r.type(), r.category())));
        return setters;
    }

    private static final List<String> RETENTIONS =
            List.of(RETENTION, "retention-success", "retention-failure", "retention-dead-letters");

    List<Policy> read(Map<String, String> properties) {
        var byPolicy = new TreeMap<String, Map<String, String>>();
        new TreeMap<>(properties).forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                sort(key, value, byPolicy);
            }
        });
        var policies = new ArrayList<Policy>();
        byPolicy.forEach((name, settings) -> policy(name, settings).ifPresent(policies::add));
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("policy settings", faults);
        }
        return policies;
    }

    private void sort(String key, String value, Map<String, Map<String, String>> byPolicy) {
        String path = key.substring(PREFIX.length());
        int dot = path.lastIndexOf('.');
        Named named = named(path);
        if (dot < 1) {
            faults.add(key + " names no " + (dot < 0 ? "setting" : "policy") + ": write " + PREFIX
                    + "<name>.<setting>, such as " + PREFIX + "default.max-attempts");
        } else if (named == null) {
            faults.add(key + " is not a setting" + Suggestions.sentence(path.substring(dot + 1), known()));
        } else {
            var settings = byPolicy.computeIfAbsent(named.policy, name -> new LinkedHashMap<>());
            if (settings.putIfAbsent(named.setting, value.strip()) != null) {
                faults.add(key + " sets " + key(named.policy, named.setting)
                        + ", which is set in another spelling too: keep one of the two");
            }
        }
    }

    /** A setting and whose it is, as they are called here. */
    private record Named(String policy, String setting) {}

    /**
     * Relaxed, as environment variables have to write it: case, dashes and underscores do not count, and a dot may stand for a
     * dash. Where that can be read in two ways, the one counts whose policy there is.
     */
    private @Nullable Named named(String path) {
        Named shortest = null;
        for (int dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
            String setting = called(path.substring(dot + 1), known());
            if (setting != null) {
                String written = path.substring(0, dot);
                String policy = called(written, catalogue.names());
                if (policy != null) {
                    return new Named(policy, setting);
                }
                shortest = shortest != null ? shortest : new Named(written, setting);
            }
        }
        return shortest;
    }

    private static @Nullable String called(String written, Collection<String> names) {
        if (names.contains(written)) {
            return written;
        }
        String uniform = uniform(written);
        return names.stream()
                .filter(name -> uniform(name).equals(uniform))
                .findFirst()
                .orElse(null);
    }

    private static String uniform(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_.]", "");
    }

    private static List<String> known() {
        var known = new ArrayList<>(SETTERS.keySet());
        known.addAll(RETENTIONS);
        known.add(EXTENDS);
        return known;
    }

    private Optional<Policy> policy(String name, Map<String, String> settings) {
        Policy base = base(name, settings.get(EXTENDS));
        if (base == null) {
            // the values are read all the same, so that their faults are named too
            base = catalogue.get("default");
        }
        PolicyBuilder builder = base.toBuilder();
        if (!base.name().equals(name)) {
            builder.withName(name);
        }
        settings.forEach((setting, value) -> apply(builder, name, setting, value));
        retention(base, name, settings).ifPresent(builder::withRetention);
        try {
            return Optional.of(builder.build());
        } catch (SemelException.Misconfigured wrong) {
            wrong.faults().forEach(fault -> faults.add("policy " + name + ": " + fault));
        } catch (SemelException.Invalid wrong) {
            faults.add("policy " + name + ": " + wrong.getMessage());
        }
        return Optional.empty();
    }

    private @Nullable Policy base(String name, @Nullable String parent) {
        String from = parent == null ? name : parent;
        Optional<Policy> found = catalogue.find(from);
        if (found.isEmpty()) {
            String unknown = catalogue.unknown(from);
            faults.add(
                    parent == null
                            ? PREFIX + name + ": " + unknown + "; to make a new one, set " + PREFIX + name
                                    + ".extends=default"
                            : key(name, EXTENDS) + "=" + parent + ": " + unknown);
        }
        return found.orElse(null);
    }

    private void apply(PolicyBuilder builder, String name, String setting, String value) {
        Setter setter = SETTERS.get(setting);
        if (setter != null) {
            attempt(name, setting, value, () -> {
                setter.set(builder, value);
                return Boolean.TRUE;
            });
        }
    }

    private Optional<Retention> retention(Policy base, String name, Map<String, String> settings) {
        if (RETENTIONS.stream().noneMatch(settings::containsKey)) {
            return Optional.empty();
        }
        Retention kept = optional(name, settings, RETENTION, Values::retention).orElse(base.retention());
        return Optional.of(new Retention(
                optional(name, settings, RETENTIONS.get(1), Values::duration).orElse(kept.success()),
                optional(name, settings, RETENTIONS.get(2), Values::duration).orElse(kept.failure()),
                optional(name, settings, RETENTIONS.get(3), Values::duration).orElse(kept.deadLetters())));
    }

    private <T> Optional<T> optional(
            String name, Map<String, String> settings, String setting, Function<String, T> reader) {
        String value = settings.get(setting);
        return value == null ? Optional.empty() : attempt(name, setting, value, () -> reader.apply(value));
    }

    private <T> Optional<T> attempt(String name, String setting, String value, Supplier<T> reading) {
        try {
            return Optional.of(reading.get());
        } catch (IllegalArgumentException wrong) {
            faults.add(key(name, setting) + "=" + value + ": " + wrong.getMessage());
            return Optional.empty();
        }
    }

    private static void setDeadline(PolicyBuilder policy, String value) {
        if (value.equals("none")) {
            policy.withoutDeadline();
        } else {
            policy.withDeadline(Values.duration(value));
        }
    }

    private static void setRedelivery(PolicyBuilder policy, String value) {
        if (value.equals("none")) {
            policy.withoutRedelivery();
        } else {
            policy.withRedelivery(Values.duration(value));
        }
    }

    private static String key(String name, String setting) {
        return PREFIX + name + "." + setting;
    }
}

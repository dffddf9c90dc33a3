package dev.semel.policy;

import dev.semel.Policy;
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
    private static final String EXTENDS = PolicySetting.EXTENDS.key();

    private final Catalogue catalogue;
    private final List<String> faults = new ArrayList<>();

    PolicySettings(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    private static final List<PolicySetting> RETENTIONS = List.of(
            PolicySetting.RETENTION,
            PolicySetting.RETENTION_SUCCESS,
            PolicySetting.RETENTION_FAILURE,
            PolicySetting.RETENTION_DEAD_LETTERS);

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
            faults.add(key + " is not a setting" + Suggestions.sentence(path.substring(dot + 1), PolicySetting.keys()));
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
            String setting = called(path.substring(dot + 1), PolicySetting.keys());
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
        PolicySetting.named(setting)
                .ifPresent(known -> attempt(name, setting, value, () -> {
                    known.set(builder, value);
                    return Boolean.TRUE;
                }));
    }

    private Optional<Retention> retention(Policy base, String name, Map<String, String> settings) {
        if (RETENTIONS.stream().map(PolicySetting::key).noneMatch(settings::containsKey)) {
            return Optional.empty();
        }
        Retention kept = optional(name, settings, PolicySetting.RETENTION, Values::retention)
                .orElse(base.retention());
        return Optional.of(new Retention(
                optional(name, settings, PolicySetting.RETENTION_SUCCESS, Values::duration)
                        .orElse(kept.success()),
                optional(name, settings, PolicySetting.RETENTION_FAILURE, Values::duration)
                        .orElse(kept.failure()),
                optional(name, settings, PolicySetting.RETENTION_DEAD_LETTERS, Values::duration)
                        .orElse(kept.deadLetters())));
    }

    private <T> Optional<T> optional(
            String name, Map<String, String> settings, PolicySetting setting, Function<String, T> reader) {
        String value = settings.get(setting.key());
        return value == null ? Optional.empty() : attempt(name, setting.key(), value, () -> reader.apply(value));
    }

    private <T> Optional<T> attempt(String name, String setting, String value, Supplier<T> reading) {
        try {
            return Optional.of(reading.get());
        } catch (IllegalArgumentException wrong) {
            faults.add(key(name, setting) + "=" + value + ": " + wrong.getMessage());
            return Optional.empty();
        }
    }

    private static String key(String name, String setting) {
        return PREFIX + name + "." + setting;
    }
}

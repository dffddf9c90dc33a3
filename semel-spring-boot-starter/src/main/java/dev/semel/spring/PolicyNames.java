package dev.semel.spring;

import dev.semel.policy.Catalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The names of policies in the properties. Relaxed binding ignores case, dashes and underscores, so two spellings of a new policy
 * would be one policy with settings of both. An environment variable cannot contain a dash and may be another spelling.
 */
final class PolicyNames {
    private static final ConfigurationPropertyName POLICY = PropertyNames.SEMEL.append("policy");

    private PolicyNames() {}

    /** A fault for each name with several spellings, except for the built-in policies. */
    static List<String> faults(Iterable<ConfigurationPropertySource> sources) {
        var spellings = new TreeMap<String, Set<String>>();
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource all
                    && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                all.stream()
                        .filter(POLICY::isAncestorOf)
                        .map(PolicyNames::policy)
                        .filter(name -> !name.isEmpty())
                        .forEach(name -> spellings
                                .computeIfAbsent(relaxed(name), same -> new TreeSet<>())
                                .add(name));
            }
        }
        Set<String> shipped =
                Catalogue.shipped().names().stream().map(PolicyNames::relaxed).collect(Collectors.toSet());
        List<String> faults = new ArrayList<>();
        spellings.forEach((name, all) -> {
            if (all.size() > 1 && !shipped.contains(name)) {
                faults.add(all.stream().map("semel.policy."::concat).collect(Collectors.joining(" and "))
                        + " are the same name, because case, dashes and underscores are ignored: use one spelling, or"
                        + " rename one of the policies");
            }
        });
        return faults;
    }

    /** The name without the setting. */
    private static String policy(ConfigurationPropertyName name) {
        StringBuilder path = new StringBuilder();
        for (int i = POLICY.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            path.append(path.isEmpty() ? "" : ".").append(name.getElement(i, ConfigurationPropertyName.Form.ORIGINAL));
        }
        return path.substring(0, Math.max(0, path.lastIndexOf(".")));
    }

    private static String relaxed(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }
}

package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.http.Level;
import dev.semel.policy.Catalogue;
import dev.semel.policy.Suggestions;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Reports all faults of the properties at once, before any property is used: unknown names, values of the wrong type, values out
 * of range, and contradictory settings. Used once.
 */
final class PropertyCheck {
    /** Absent in an application without Spring MVC. */
    private static final String PATTERNS = "org.springframework.web.util.pattern.PathPatternParser";

    private final ConfigurableEnvironment environment;
    private final PropertyNames names = new PropertyNames();
    private final List<String> faults = new ArrayList<>();

    private PropertyCheck(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /** @throws SemelException.Misconfigured naming every fault */
    static void refuse(ConfigurableEnvironment environment, ListableBeanFactory beans) {
        PropertyCheck check = new PropertyCheck(environment);
        check.checkNames();
        Binder sound = check.withoutWrongValues();
        SemelProperties properties = sound.bindOrCreate("semel", Bindable.of(SemelProperties.class));
        SemelHttpProperties http = sound.bindOrCreate("semel.http", Bindable.of(SemelHttpProperties.class));
        check.checkTuning(properties.tuning());
        Duration reconciling = properties.expert().reconcilerTimeout();
        check.check(
                !reconciling.isNegative() && !reconciling.isZero(),
                "semel.expert.reconciler-timeout",
                reconciling,
                "use more than zero");
        check.checkStore(properties);
        check.faults.addAll(PolicyNames.faults(ConfigurationPropertySources.get(environment)));
        Optional<Catalogue> catalogue = check.catalogue(properties);
        if (http.enabled()) {
            SemelRouteProperties routes = check.routes(sound);
            check.checkHttp(properties, http);
            check.checkRoutes(properties, routes);
            // Policy beans do not exist yet.
            boolean noBeans = beans.getBeanNamesForType(Policy.class, true, false).length == 0;
            catalogue.filter(all -> noBeans).ifPresent(all -> {
                policy(http, all).ifPresent(check.faults::add);
                check.faults.addAll(policies(routes, all));
            });
        }
        if (!check.faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's settings", check.faults);
        }
    }

    private void checkNames() {
        Set<String> unknown = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
                Arrays.stream(variables.getPropertyNames())
                        .filter(name -> name.toUpperCase(Locale.ROOT).startsWith("SEMEL_"))
                        .filter(name -> !names.isKnownVariable(name))
                        // A variable may belong to the application, such as SEMEL_DB_PASSWORD.
                        .filter(name ->
                                !Suggestions.near(asProperty(name), names.all()).isEmpty())
                        .forEach(unknown::add);
            } else if (source instanceof IterableConfigurationPropertySource all) {
                all.stream()
                        .filter(PropertyNames.SEMEL::isAncestorOf)
                        .filter(name -> !names.isKnown(name, isEmpty(all, name)))
                        .forEach(name -> unknown.add(name.toString()));
            }
        }
        unknown.forEach(name -> faults.add(name + " is not a property of Semel" + suggestion(name)));
    }

    private static boolean isEmpty(ConfigurationPropertySource source, ConfigurationPropertyName name) {
        var property = source.getConfigurationProperty(name);
        return property == null
                || property.getValue() == null
                || property.getValue().toString().isEmpty();
    }

    private String suggestion(String name) {
        return Suggestions.sentence(asProperty(name), names.all());
    }

    private static String asProperty(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** A binder without the values of the wrong type, which it reports. */
    private Binder withoutWrongValues() {
        Binder binder = Binder.get(environment);
        Set<ConfigurationPropertyName> wrong = new HashSet<>();
        Map<ConfigurationPropertyName, ResolvableType> all = new LinkedHashMap<>(names.leaves());
        all.putAll(names.elements(this::isPresent));
        all.forEach((name, type) -> {
            try {
                binder.bind(name, Bindable.of(type));
            } catch (BindException e) {
                wrong.add(name);
                faults.add(told(name, type, e));
            }
        });
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            sources.add(source.filter(
                    name -> wrong.stream().noneMatch(each -> each.equals(name) || each.isAncestorOf(name))));
        }
        return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
    }

    private boolean isPresent(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }

    /** Does not show the value of a text property: the URL of a store contains a password. */
    private static String told(ConfigurationPropertyName name, ResolvableType type, BindException e) {
        ResolvableType elements = type.as(List.class).getGeneric(0);
        Class<?> wanted = elements == ResolvableType.NONE ? type.resolve(Object.class) : elements.resolve(Object.class);
        var property = e.getProperty();
        String value = property == null || wanted == String.class ? "" : " is \"" + property.getValue() + "\"";
        return name + value + ": " + instead(wanted).orElseGet(() -> String.valueOf(root(e).getMessage()));
    }

    private static Optional<String> instead(Class<?> type) {
        if (type.isEnum()) {
            return Optional.of("use "
                    + Arrays.stream(type.getEnumConstants())
                            .map(each -> each.toString().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(" or ")));
        }
        return Optional.ofNullable(
                type == Duration.class
                        ? "use a duration, such as 10s or 5m"
                        : type == DataSize.class
                                ? "use a size, such as 256KB or 10MB"
                                : type == boolean.class
                                        ? "use true or false"
                                        : type == int.class
                                                ? "use a whole number"
                                                : type == URI.class
                                                        ? "use a URI, such as https://example.org/keys"
                                                        : null);
    }

    private static Throwable root(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private void checkTuning(SemelProperties.Tuning tuning) {
        check(!tuning.patience().isNegative(), "semel.tuning.patience", tuning.patience(), "use zero or more");
        check(!tuning.drain().isNegative(), "semel.tuning.drain", tuning.drain(), "use zero or more");
        check(
                tuning.concurrency() > 0 && tuning.concurrency() <= 10_000,
                "semel.tuning.concurrency",
                tuning.concurrency(),
                "use 1 to 10000 handlers");
        check(tuning.localCache() >= 0, "semel.tuning.local-cache", tuning.localCache(), "use 0 for none, or more");
        long largest = tuning.largestValue().toBytes();
        check(
                largest > 0 && largest <= Integer.MAX_VALUE,
                "semel.tuning.largest-value",
                tuning.largestValue(),
                "use 1 byte to 2047 MB");
    }

    private void check(boolean sound, String name, Object value, String instead) {
        if (!sound) {
            faults.add(name + " is " + value + ": " + instead);
        }
    }

    private void checkStore(SemelProperties properties) {
        if (properties.store() == null) {
            return;
        }
        if (properties.expert().dataSource() != null) {
            faults.add("semel.store gives the ledger its own store, but semel.expert.data-source puts it into the data"
                    + " source \"" + properties.expert().dataSource() + "\": choose one");
        }
        if (properties.expert().transactionManager() != null) {
            faults.add("semel.store gives the ledger its own store, which Spring's transaction managers do not manage:"
                    + " remove semel.expert.transaction-manager");
        }
    }

    private Optional<Catalogue> catalogue(SemelProperties properties) {
        try {
            return Optional.of(Catalogue.fromProperties(properties.policies()));
        } catch (SemelException.Misconfigured e) {
            faults.addAll(e.faults());
            return Optional.empty();
        }
    }

    private void checkHttp(SemelProperties properties, SemelHttpProperties http) {
        SemelHttpProperties.HttpTuning tuning = http.tuning();
        boolean inDataSource = properties.store() == null;
        Level level = http.level(inDataSource);
        if (level != Level.PLAIN && !inDataSource) {
            faults.add("semel.http.level is " + level + ", but the ledger has its own store (semel.store) and cannot"
                    + " join the handler's transaction: use plain, or remove semel.store");
        }
        check(!tuning.patience().isNegative(), "semel.http.tuning.patience", tuning.patience(), "use zero or more");
        check(
                tuning.largestRequest().toBytes() > 0,
                "semel.http.tuning.largest-request",
                tuning.largestRequest(),
                "use 1 byte or more");
        long kept = tuning.largestKeptResponse().toBytes();
        long largest = properties.tuning().largestValue().toBytes();
        check(kept >= 0, "semel.http.tuning.largest-kept-response", tuning.largestKeptResponse(), "use 0 or more");
        DataSize held = tuning.responses().largestHeld();
        check(
                held.toBytes() >= kept,
                "semel.http.tuning.responses.largest-held",
                held,
                "use at least semel.http.tuning.largest-kept-response");
        if (kept > largest) {
            faults.add("semel.http.tuning.largest-kept-response is " + kept + " bytes, but"
                    + " semel.tuning.largest-value limits values in the ledger to " + largest + " bytes: raise"
                    + " that limit, or lower this one");
        }
        SemelHttpProperties.Breaker breaker = http.expert().breaker();
        try {
            new Channel.Breaker(breaker.failurePercent(), breaker.calls(), breaker.pause());
        } catch (SemelException.Invalid e) {
            faults.add("semel.http.expert.breaker: " + e.getMessage());
        }
    }

    /** Nothing where the entries cannot be bound: one has only faults that are already reported, or their numbers have a gap. */
    private SemelRouteProperties routes(Binder sound) {
        try {
            return sound.bindOrCreate("semel.http", Bindable.of(SemelRouteProperties.class));
        } catch (BindException e) {
            if (faults.isEmpty()) {
                faults.add("semel.http.routes: " + root(e).getMessage() + " Number the entries from 0, without gaps");
            }
            return new SemelRouteProperties(
                    List.of(), List.of(), false, List.of(), Map.of(), SemelRouteProperties.StatusPath.NONE);
        }
    }

    private void checkRoutes(SemelProperties properties, SemelRouteProperties routes) {
        if (ClassUtils.isPresent(PATTERNS, getClass().getClassLoader())) {
            ConfiguredRoutes.of(routes, faults);
        }
        DataSize largest = properties.tuning().largestValue();
        for (int i = 0; i < routes.routes().size(); i++) {
            SemelRouteProperties.Route route = routes.routes().get(i);
            String name = "semel.http.routes[" + i + "].";
            if (route.level() != null && route.level() != Level.PLAIN && properties.store() != null) {
                faults.add(name + "level is " + route.level() + ", but the ledger has its own store (semel.store) and"
                        + " cannot join the handler's transaction: use plain, or remove semel.store");
            }
            DataSize kept = route.tuning().largestKeptResponse();
            check(
                    kept == null || kept.compareTo(largest) <= 0,
                    name + "tuning.largest-kept-response",
                    String.valueOf(kept),
                    "use at most semel.tuning.largest-value (" + largest + ")");
        }
    }

    /** The fault of the default policy of routes, if any. */
    static Optional<String> policy(SemelHttpProperties http, Catalogue catalogue) {
        return policy("semel.http.tuning.policy", http.tuning().policy(), catalogue);
    }

    /** The faults of the policies of single routes. */
    static List<String> policies(SemelRouteProperties routes, Catalogue catalogue) {
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < routes.routes().size(); i++) {
            String name = routes.routes().get(i).tuning().policy();
            if (name != null) {
                policy("semel.http.routes[" + i + "].tuning.policy", name, catalogue)
                        .ifPresent(faults::add);
            }
        }
        return faults;
    }

    private static Optional<String> policy(String property, String name, Catalogue catalogue) {
        return catalogue.find(name).isPresent()
                ? Optional.empty()
                : Optional.of(property + " is \"" + name + "\", which is not a known policy; known policies: "
                        + String.join(", ", catalogue.names()));
    }
}

package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.http.Rule;
import dev.semel.spring.SemelRouteProperties.Route;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.util.unit.DataSize;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * What {@code semel.http.include}, {@code exclude} and {@code routes} say about a route. Patterns are those of Spring MVC. They are
 * compared with the template of a route and not with the path of a request, so that the start can tell what holds for each route.
 */
final class ConfiguredRoutes {
    /** Nothing is configured: all routes are included, and none has a rule of its own. */
    static final ConfiguredRoutes NONE = new ConfiguredRoutes(List.of(), List.of(), List.of(), Map.of());

    private final List<NamedPattern> include;
    private final List<NamedPattern> exclude;
    private final List<Entry> entries;
    private final Map<String, List<NamedPattern>> labels;

    private ConfiguredRoutes(
            List<NamedPattern> include,
            List<NamedPattern> exclude,
            List<Entry> entries,
            Map<String, List<NamedPattern>> labels) {
        this.include = include;
        this.exclude = exclude;
        this.entries = entries;
        this.labels = labels;
    }

    /** @param property the name of the property that has the pattern */
    record NamedPattern(String property, String text, PathPattern pattern) {
        /** Whether every path of the template matches the pattern. */
        boolean covers(String template) {
            return text.equals(template)
                    || (!isOpen(template) || isOpen(text)) && pattern.matches(PathContainer.parsePath(template));
        }

        boolean isWildcard() {
            return text.contains("*");
        }

        private static boolean isOpen(String path) {
            return path.endsWith("**") || path.startsWith("{*", path.lastIndexOf('/') + 1);
        }

        @Override
        public String toString() {
            return property + " (" + text + ")";
        }
    }

    /** One element of {@code semel.http.routes}. */
    record Entry(String property, NamedPattern path, Route route) {
        boolean matches(String method, String template) {
            return (route.methods().isEmpty()
                            || route.methods().stream()
                                    .anyMatch(each -> each.name().equals(method)))
                    && path.covers(template);
        }

        /** The settings that it has. */
        Stream<Setting<?>> settings() {
            return SETTINGS.stream().filter(setting -> setting.in(route) != null);
        }

        @Override
        public String toString() {
            return property + " (" + path.text + ")";
        }
    }

    /** The most specific first: by its path as in Spring MVC, then one with methods. */
    private static final Comparator<Entry> SPECIFICITY = Comparator.comparing(
                    (Entry entry) -> entry.path.pattern, PathPattern.SPECIFICITY_COMPARATOR)
            .thenComparing(entry -> entry.route.methods().isEmpty());

    /** A setting of an entry, and how it changes a rule. */
    record Setting<T>(String name, Function<Route, @Nullable T> value, BiFunction<Rule, T, Rule> change) {
        @Nullable
        Object in(Route route) {
            return value.apply(route);
        }

        private Rule applied(Rule rule, List<Entry> matching) {
            for (Entry entry : matching) {
                T own = value.apply(entry.route);
                if (own != null) {
                    return change.apply(rule, own);
                }
            }
            return rule;
        }
    }

    /** The limits of what is kept and held come in this order, because a rule is valid after each change. */
    private static final List<Setting<?>> SETTINGS = List.of(
            new Setting<>("key", Route::key, Rule::withKey),
            new Setting<>("level", Route::level, Rule::withLevel),
            new Setting<>("log-only", Route::logOnly, Rule::withLogOnly),
            new Setting<>("tuning.policy", route -> route.tuning().policy(), Rule::withPolicy),
            new Setting<>("tuning.patience", route -> route.tuning().patience(), Rule::withPatience),
            new Setting<>(
                    "tuning.largest-request",
                    route -> route.tuning().largestRequest(),
                    (rule, size) -> rule.withLargestRequest(size.toBytes())),
            new Setting<>(
                    "tuning.largest-kept-response",
                    route -> route.tuning().largestKeptResponse(),
                    (rule, size) -> rule.withLargestKeptResponse((int) size.toBytes())),
            new Setting<>(
                    "tuning.responses.largest-held",
                    route -> route.tuning().responses().largestHeld(),
                    (rule, size) -> rule.withLargestHeldResponse(size.toBytes())),
            new Setting<>(
                    "tuning.responses.hold-streams",
                    route -> route.tuning().responses().holdStreams(),
                    Rule::withHeldStreams),
            new Setting<>(
                    "tuning.breaker",
                    route -> route.tuning().breaker(),
                    (rule, breaker) -> rule.withBreaker(
                            new Channel.Breaker(breaker.failurePercent(), breaker.calls(), breaker.pause()))));

    /** @param faults receives the faults of the patterns and of single entries */
    static ConfiguredRoutes of(SemelRouteProperties properties, List<String> faults) {
        List<NamedPattern> include = patterns("semel.http.include", properties.include(), faults);
        List<NamedPattern> exclude = patterns("semel.http.exclude", properties.exclude(), faults);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < properties.routes().size(); i++) {
            Route route = properties.routes().get(i);
            String property = "semel.http.routes[" + i + "]";
            NamedPattern path = pattern(property + ".path", route.path(), faults);
            if (path != null) {
                check(new Entry(property, path, route), entries, faults);
            }
        }
        Map<String, List<NamedPattern>> labels = new TreeMap<>();
        properties.labels().forEach((label, texts) -> {
            String property = "semel.http.labels." + label;
            checkLabel(property, label, faults);
            labels.put(label, patterns(property, texts, faults));
        });
        return new ConfiguredRoutes(include, exclude, entries, labels);
    }

    private static void checkLabel(String property, String label, List<String> faults) {
        try {
            Rule.required().withLabel(label);
        } catch (SemelException.Misconfigured e) {
            e.faults().forEach(fault -> faults.add(property + ": " + fault));
        }
    }

    private static List<NamedPattern> patterns(String property, List<String> texts, List<String> faults) {
        List<NamedPattern> patterns = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            NamedPattern pattern = pattern(property + "[" + i + "]", texts.get(i), faults);
            if (pattern != null) {
                patterns.add(pattern);
            }
        }
        return patterns;
    }

    private static @Nullable NamedPattern pattern(String property, @Nullable String text, List<String> faults) {
        if (text == null || !text.startsWith("/")) {
            faults.add(
                    text == null
                            ? property + " is missing: set a path pattern, such as /orders/{id} or /payments/**"
                            : property + " is \"" + text + "\": a path pattern must begin with /");
            return null;
        }
        try {
            return new NamedPattern(property, text, PathPatternParser.defaultInstance.parse(text));
        } catch (PatternParseException e) {
            faults.add(property + " is \"" + text + "\", which is not a path pattern of Spring MVC: " + e.getMessage());
            return null;
        }
    }

    private static void check(Entry entry, List<Entry> earlier, List<String> faults) {
        earlier.stream()
                .filter(other -> other.path.text.equals(entry.path.text) && overlap(other.route, entry.route))
                .findFirst()
                .ifPresent(other -> faults.add(
                        entry + " has the same path and methods as " + other.property + ": keep one of the two"));
        DataSize kept = entry.route.tuning().largestKeptResponse();
        if (kept != null && (kept.isNegative() || kept.toBytes() > Integer.MAX_VALUE)) {
            faults.add(entry.property + ".tuning.largest-kept-response is " + kept + ": use 0 to 2047 MB");
            return;
        }
        for (Setting<?> setting : SETTINGS) {
            try {
                setting.applied(Rule.required(), List.of(entry));
            } catch (SemelException.Misconfigured e) {
                e.faults().forEach(fault -> faults.add(entry.property + "." + setting.name + ": " + fault));
            } catch (SemelException.Invalid e) {
                faults.add(entry.property + "." + setting.name + ": " + e.getMessage());
            }
        }
        earlier.add(entry);
    }

    private static boolean overlap(Route one, Route other) {
        return one.methods().isEmpty() && other.methods().isEmpty()
                || !Collections.disjoint(one.methods(), other.methods());
    }

    List<Entry> entries() {
        return entries;
    }

    List<NamedPattern> patterns() {
        return Stream.concat(
                        Stream.of(
                                include,
                                exclude,
                                entries.stream().map(Entry::path).toList()),
                        labels.values().stream())
                .flatMap(List::stream)
                .toList();
    }

    /** The labels of a route. */
    Set<String> labels(String template) {
        return labels.entrySet().stream()
                .filter(each -> each.getValue().stream().anyMatch(pattern -> pattern.covers(template)))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** The property that excludes a route; null where the route is included. */
    @Nullable
    String excludedBy(String template) {
        for (NamedPattern pattern : exclude) {
            if (pattern.covers(template)) {
                return pattern.toString();
            }
        }
        return include.isEmpty() || include.stream().anyMatch(pattern -> pattern.covers(template))
                ? null
                : "not in semel.http.include";
    }

    /** The entries for a route, the most specific first. */
    List<Entry> matching(String method, String template) {
        return entries.stream()
                .filter(entry -> entry.matches(method, template))
                .sorted(SPECIFICITY)
                .toList();
    }

    /** The rule of a route, changed by the entries for it: each setting by the most specific entry that has it. */
    static Rule changed(Rule rule, List<Entry> matching) {
        Rule changed = rule;
        for (Setting<?> setting : SETTINGS) {
            changed = setting.applied(changed, matching);
        }
        return changed;
    }

    /** Two entries for a route that are equally specific and set something differently. */
    static List<String> conflicts(String route, List<Entry> matching) {
        List<String> faults = new ArrayList<>();
        for (Setting<?> setting : SETTINGS) {
            List<Entry> having = matching.stream()
                    .filter(entry -> setting.in(entry.route) != null)
                    .toList();
            for (Entry other : having.subList(Math.min(1, having.size()), having.size())) {
                Entry first = having.get(0);
                if (SPECIFICITY.compare(first, other) == 0
                        && !Objects.equals(setting.in(first.route), setting.in(other.route))) {
                    faults.add(route + ": " + first + " and " + other + " conflict: both set " + setting.name
                            + ", and neither path is more specific. Add an entry for this route");
                }
            }
        }
        return faults;
    }
}

package dev.semel.http;

import dev.semel.http.Hooks.Routes.FoundRoute;
import dev.semel.key.Keys;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The routes of the filter: templates of literal segments, {@code {variables}} and a last {@code **}. Immutable. */
final class RouteTable {
    private static final int LONGEST_NAME = 120;

    private final List<RouteEntry> entries;
    private final Rule usual;

    private RouteTable(List<RouteEntry> entries, Rule usual) {
        this.entries = entries;
        this.usual = usual;
    }

    /**
     * The route of a request.
     *
     * @param operation its name in the ledger: method and template
     * @param values the values of the template's variables
     * @param version the API version; null where the application has none
     */
    record Match(
            String operation,
            Map<String, String> values,
            Rule rule,
            @Nullable String version) {
        Match withRule(Rule value) {
            return new Match(operation, values, value, version);
        }
    }

    private record RouteEntry(String method, List<String> segments, String template, Rule rule) {
        /** Of two matching routes, the one with the earlier literal segment is more specific. */
        boolean beats(@Nullable RouteEntry other) {
            if (other == null) {
                return true;
            }
            for (int i = 0; i < Math.min(segments.size(), other.segments.size()); i++) {
                int difference = weight(other.segments.get(i)) - weight(segments.get(i));
                if (difference != 0) {
                    return difference > 0;
                }
            }
            // Both match the same path, so the longer one ends with **.
            return segments.size() < other.segments.size();
        }

        RouteEntry asLogOnly() {
            return new RouteEntry(method, segments, template, rule.withLogOnly(true));
        }

        private static int weight(String segment) {
            return segment.equals("**") ? 2 : isPlace(segment) ? 1 : 0;
        }

        /** Whether it covers a template of the application: a variable matches any variable, and ** matches any rest. */
        boolean covers(List<String> other) {
            boolean rest =
                    !segments.isEmpty() && segments.get(segments.size() - 1).equals("**");
            int fixed = rest ? segments.size() - 1 : segments.size();
            if (other.size() < fixed || !rest && other.size() > fixed) {
                return false;
            }
            for (int i = 0; i < fixed; i++) {
                String mine = segments.get(i);
                String its = other.get(i);
                if (!mine.equals(its) && !(isPlace(mine) && isPlace(its))) {
                    return false;
                }
            }
            return true;
        }

        @Nullable
        Map<String, String> match(List<String> path) {
            boolean rest =
                    !segments.isEmpty() && segments.get(segments.size() - 1).equals("**");
            int fixed = rest ? segments.size() - 1 : segments.size();
            if (path.size() < fixed || !rest && path.size() > fixed) {
                return null;
            }
            Map<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < fixed; i++) {
                String segment = segments.get(i);
                if (isPlace(segment)) {
                    values.put(segment.substring(1, segment.length() - 1), path.get(i));
                } else if (!segment.equals(path.get(i))) {
                    return null;
                }
            }
            if (rest) {
                values.put("**", String.join("/", path.subList(fixed, path.size())));
            }
            return values;
        }
    }

    private static boolean isPlace(String segment) {
        return segment.startsWith("{") && segment.endsWith("}");
    }

    static final class Builder {
        private final List<RouteEntry> entries = new ArrayList<>();
        private final List<String> faults = new ArrayList<>();

        void add(String method, String template, Rule rule) {
            String verb = method.toUpperCase(Locale.ROOT);
            if (!KeyHeader.METHODS.contains(verb)) {
                faults.add("route " + method + " " + template + ": only " + KeyHeader.METHODS
                        + " can have a rule; other methods always pass");
            }
            if (!template.startsWith("/")) {
                faults.add("route " + method + " " + template + ": a template must begin with /");
            }
            List<String> segments = segments(template);
            if (segments.indexOf("**") >= 0 && segments.indexOf("**") < segments.size() - 1) {
                faults.add("route " + method + " " + template + ": ** is allowed only at the end");
            }
            if ((verb + " " + template).length() > LONGEST_NAME) {
                faults.add("route " + method + " " + template + ": method and template form the operation name and may"
                        + " have at most "
                        + LONGEST_NAME + " characters");
            }
            RouteEntry entry = new RouteEntry(verb, segments, template, rule);
            if (entries.stream()
                    .anyMatch(other -> other.method.equals(verb) && shape(other).equals(shape(entry)))) {
                faults.add("route " + method + " " + template + " is given twice: keep one of the two");
            }
            entries.add(entry);
        }

        private static List<String> shape(RouteEntry entry) {
            return entry.segments.stream()
                    .map(segment -> isPlace(segment) ? "{}" : segment)
                    .toList();
        }

        List<String> faults() {
            return faults;
        }

        /** @param logOnly whether all routes are log-only, whatever their rules say */
        RouteTable build(Rule usual, boolean logOnly) {
            return logOnly
                    ? new RouteTable(entries.stream().map(RouteEntry::asLogOnly).toList(), usual.withLogOnly(true))
                    : new RouteTable(List.copyOf(entries), usual);
        }
    }

    Match match(HttpServletRequest request, Hooks.@Nullable Routes application) {
        String method = request.getMethod();
        FoundRoute found =
                application == null ? null : application.find(request).orElse(null);
        if (found != null) {
            return match(method, found);
        }
        String path = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        List<String> segments = segments(path);
        RouteEntry best = null;
        Map<String, String> values = Map.of();
        for (RouteEntry entry : entries) {
            Map<String, String> matched = entry.method.equals(method) ? entry.match(segments) : null;
            if (matched != null && entry.beats(best)) {
                best = entry;
                values = matched;
            }
        }
        return best != null
                ? new Match(name(method, best.template), values, best.rule, null)
                : new Match(name(method, mapping(request)), Map.of("path", path), usual, null);
    }

    /** The match for a route of the application. */
    Match match(String method, FoundRoute found) {
        Rule rule = found.rule() != null ? found.rule() : ruleOf(method, found);
        return new Match(name(method, found.template()), found.values(), rule, found.version());
    }

    private Rule ruleOf(String method, FoundRoute found) {
        List<String> template = segments(found.template());
        RouteEntry best = null;
        for (RouteEntry entry : entries) {
            if (entry.method.equals(method) && entry.covers(template) && entry.beats(best)) {
                best = entry;
            }
        }
        Rule rule = best == null ? usual : best.rule;
        return found.asynchronous() ? rule.withLevel(Level.PLAIN) : rule;
    }

    /** The servlet mapping, so that the number of operation names stays small. */
    private static String mapping(HttpServletRequest request) {
        var mapping = request.getHttpServletMapping();
        String pattern = mapping == null ? "" : mapping.getPattern();
        return pattern == null || pattern.isEmpty() ? "/" : pattern;
    }

    private static String name(String method, String template) {
        return shortened(method + " " + template);
    }

    /** The name of an operation, with a hash in place of its end where it is too long. */
    static String shortened(String name) {
        if (name.length() <= LONGEST_NAME) {
            return name;
        }
        String hash = Keys.contentHash(name).text();
        return name.substring(0, LONGEST_NAME - 17) + "~" + hash.substring(hash.length() - 16);
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                segments.add(segment);
            }
        }
        return segments;
    }

    /** Calls the consumer with the operation and the rule of each route. */
    void each(BiConsumer<String, Rule> told) {
        entries.forEach(entry -> told.accept(name(entry.method, entry.template), entry.rule));
    }
}

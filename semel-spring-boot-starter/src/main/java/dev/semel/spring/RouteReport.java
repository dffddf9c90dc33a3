package dev.semel.spring;

import dev.semel.SemelException;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Level;
import dev.semel.http.Rule;
import dev.semel.policy.Suggestions;
import dev.semel.spring.ConfiguredRoutes.Entry;
import dev.semel.spring.ListedRoutes.ListedRoute;
import dev.semel.spring.RouteLines.RouteLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the routes against the settings when the application starts, and logs them as a table. Contradictions fail the start.
 * Settings without effect are warnings: a test may start with a part of the controllers.
 */
final class RouteReport {
    private static final Logger LOG = LoggerFactory.getLogger(RouteReport.class);

    private final IdempotencyFilter filter;
    private final MvcRoutes routes;
    private final ConfiguredRoutes configured;
    private final List<ListedRoute> listed;

    RouteReport(IdempotencyFilter filter, MvcRoutes routes, ConfiguredRoutes configured, List<ListedRoute> listed) {
        this.filter = filter;
        this.routes = routes;
        this.configured = configured;
        this.listed = listed;
    }

    /** Contradictory settings, and settings that a route cannot have. */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        for (ListedRoute route : listed) {
            List<Entry> matching = configured.matching(route.method(), route.path());
            faults.addAll(ConfiguredRoutes.conflicts(route.toString(), matching));
            checkExcluded(route, faults);
            checkAsynchronous(route, matching, faults);
            try {
                rule(route);
            } catch (SemelException.Misconfigured e) {
                e.faults().forEach(fault -> faults.add(route.shown() + ": " + fault));
            }
        }
        return faults.stream().distinct().toList();
    }

    private void checkExcluded(ListedRoute route, List<String> faults) {
        String excludedBy = configured.excludedBy(route.path());
        Idempotent said = said(route);
        if (excludedBy != null && said != null && said.header() != Idempotent.Header.OFF) {
            faults.add(route.shown() + " conflict: it has @Idempotent, but it is "
                    + (excludedBy.startsWith("not") ? excludedBy : "excluded by " + excludedBy)
                    + ". Remove the annotation, set header = OFF, or change the patterns");
        }
    }

    private static void checkAsynchronous(ListedRoute route, List<Entry> matching, List<String> faults) {
        if (route.handler() == null
                || !RouteRules.isAsynchronous(route.handler().getMethod())) {
            return;
        }
        matching.stream()
                .filter(entry -> !entry.path().isWildcard() && entry.route().level() != null)
                .filter(entry -> entry.route().level() != Level.PLAIN)
                .findFirst()
                .ifPresent(entry -> faults.add(route.shown() + ": its level is "
                        + entry.route().level() + " by " + entry
                        + ", but it responds asynchronously, so its transaction is on another thread: use plain, or"
                        + " return the result itself"));
    }

    private static @Nullable Idempotent said(ListedRoute route) {
        return route.handler() == null
                ? null
                : RouteRules.said(route.handler().getBeanType(), route.handler().getMethod());
    }

    private Rule rule(ListedRoute route) {
        return filter.rule(route.method(), routes.found(route.method(), route.path(), route.handler()));
    }

    /** Patterns that match no route, and entries that an annotation overrides. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        TreeSet<String> paths = new TreeSet<>();
        listed.forEach(route -> paths.add(route.path()));
        configured.patterns().forEach(pattern -> {
            if (paths.stream().noneMatch(pattern::covers)) {
                List<String> near = Suggestions.near(pattern.text(), paths);
                warnings.add(pattern.property() + " is \"" + pattern.text() + "\", which matches no route"
                        + (near.isEmpty() ? "" : "; perhaps " + String.join(" or ", near) + " is meant"));
            }
        });
        configured.entries().forEach(entry -> overridden(entry, warnings));
        return warnings;
    }

    private void overridden(Entry entry, List<String> warnings) {
        List<ListedRoute> matched = listed.stream()
                .filter(route -> entry.matches(route.method(), route.path()))
                .toList();
        if (!matched.isEmpty() && matched.stream().allMatch(route -> configured.excludedBy(route.path()) != null)) {
            warnings.add(entry + " has no effect: all routes that it matches are excluded");
            return;
        }
        entry.settings().forEach(setting -> {
            boolean always = !matched.isEmpty()
                    && matched.stream().allMatch(route -> RouteRules.overrides(said(route), setting.name()));
            if (always) {
                warnings.add(entry.property() + "." + setting.name() + " has no effect: @Idempotent sets it on "
                        + matched.get(0).shown());
            }
        });
    }

    List<RouteLine> lines() {
        return listed.stream().map(this::line).distinct().toList();
    }

    private RouteLine line(ListedRoute route) {
        Rule rule = rule(route);
        boolean off = rule.key() == Rule.KeyUse.OFF;
        return new RouteLine(
                route.toString(),
                off ? "-" : rule.level().name().toLowerCase(Locale.ROOT),
                rule.key().name().toLowerCase(Locale.ROOT),
                !off && rule.isLogOnly(),
                off ? "-" : rule.policy(),
                setBy(route, rule));
    }

    private String setBy(ListedRoute route, Rule rule) {
        String excludedBy = configured.excludedBy(route.path());
        if (excludedBy != null) {
            return excludedBy;
        }
        List<String> by = new ArrayList<>();
        if (said(route) != null) {
            by.add("@Idempotent");
        }
        configured.matching(route.method(), route.path()).forEach(entry -> by.add(entry.property()));
        if (!by.isEmpty()) {
            return String.join(", ", by);
        }
        return rule.equals(routes.usual()) || rule.equals(routes.usual().withLevel(rule.level()))
                ? "default"
                : "withRoute";
    }

    static void log(RouteLines lines, List<String> warnings) {
        warnings.forEach(warning -> LOG.warn("Idempotency-Key filter: {}.", warning));
        if (lines.all().isEmpty()) {
            LOG.info("Idempotency-Key filter: the application has no POST, PUT, PATCH or DELETE routes.");
        } else {
            LOG.info("Idempotency-Key filter: {} routes{}", lines.all().size(), lines.table());
        }
    }
}

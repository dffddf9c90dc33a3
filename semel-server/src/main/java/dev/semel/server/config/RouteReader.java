package dev.semel.server.config;

import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.RouteConfig.Test;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.Node;

/** Reads the routes, in their order. */
record RouteReader(ConfigSection all, Set<String> origins, Set<String> destinations) {
    private static final List<ConfigSetting> TESTS = List.of(
            ConfigSetting.CONDITION_EQUALS,
            ConfigSetting.CONDITION_IN,
            ConfigSetting.CONDITION_EXISTS,
            ConfigSetting.CONDITION_PREFIX);

    List<RouteConfig> read() {
        List<RouteConfig> routes = new ArrayList<>();
        int number = 0;
        for (Node node : all.list(ConfigSetting.ROUTES)) {
            number++;
            all.section(node, "route " + number, ConfigPart.ROUTE)
                    .flatMap(this::route)
                    .ifPresent(routes::add);
        }
        return routes;
    }

    /** Also where names are unknown, so that what it leads to is not reported as unused. */
    private Optional<RouteConfig> route(ConfigSection section) {
        Optional<String> from =
                section.value(ConfigSetting.ROUTE_FROM, text -> known(text, origins, "source or topic"));
        Set<String> to = new LinkedHashSet<>();
        for (ConfigText text : section.texts(ConfigSetting.ROUTE_TO)) {
            section.value(text, section.label("to"), each -> known(each, destinations, "destination"))
                    .ifPresent(name -> {
                        if (!to.add(name)) {
                            section.findings()
                                    .fault(text.at(), section.label("to") + " names " + text.shown() + " twice");
                        }
                    });
        }
        List<Condition> when = new ArrayList<>();
        int number = 0;
        for (Node node : section.list(ConfigSetting.ROUTE_WHEN)) {
            number++;
            section.section(node, "condition " + number + " of " + section.owner(), ConfigPart.CONDITION)
                    .flatMap(RouteReader::condition)
                    .ifPresent(when::add);
        }
        return from.map(name -> new RouteConfig(name, List.copyOf(to), when));
    }

    private static String known(String name, Set<String> names, String what) {
        if (!names.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no " + what + " of that name" + NamedPolicies.nearest(name, names));
        }
        return name;
    }

    private static Optional<Condition> condition(ConfigSection section) {
        Optional<String> pointer = section.value(ConfigSetting.CONDITION_JSON, EventPlaces::pointer);
        List<ConfigSetting> tests = TESTS.stream().filter(section::has).toList();
        if (tests.size() != 1) {
            section.findings()
                    .fault(
                            section.at(),
                            section.owner() + " must have one of equals, in, exists and prefix, and has "
                                    + (tests.isEmpty()
                                            ? "none"
                                            : tests.stream()
                                                    .map(ConfigSetting::key)
                                                    .collect(Collectors.joining(" and "))));
        }
        List<Test> read =
                tests.stream().flatMap(setting -> test(section, setting)).toList();
        return pointer.isEmpty() || read.size() != 1
                ? Optional.empty()
                : Optional.of(new Condition(pointer.get(), read.get(0)));
    }

    private static Stream<Test> test(ConfigSection section, ConfigSetting setting) {
        return switch (setting) {
            case CONDITION_EXISTS ->
                section.value(setting, ValueForms::flag).map(Test.Exists::new).map(Test.class::cast).stream();
            case CONDITION_PREFIX ->
                section.text(setting).map(text -> new Test.Prefix(text.text())).map(Test.class::cast).stream();
            case CONDITION_EQUALS ->
                section.text(setting).map(text -> new Test.In(Set.of(text.text()))).map(Test.class::cast).stream();
            default -> {
                Set<String> values =
                        section.texts(setting).stream().map(ConfigText::text).collect(Collectors.toSet());
                yield values.isEmpty() ? Stream.of() : Stream.of(new Test.In(values));
            }
        };
    }
}

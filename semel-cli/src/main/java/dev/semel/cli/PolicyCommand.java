package dev.semel.cli;

import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.policy.Catalogue;
import dev.semel.policy.PolicySetting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "policy",
        description = "Lists policies and shows in words what they do. Needs no store.",
        mixinStandardHelpOptions = true)
final class PolicyCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use list or show.");
    }

    @Command(
            name = "list",
            header = "Lists the policies: attempts, limits, retention and the pauses between attempts.",
            description = "Read-only.",
            mixinStandardHelpOptions = true)
    int list(@Mixin PolicyOption from, @Mixin JsonOption json) {
        Catalogue catalogue = from.catalogue();
        List<Policy> policies = catalogue.names().stream().map(catalogue::get).toList();
        if (json.chosen()) {
            json.print(
                    spec.commandLine().getOut(),
                    policies.stream().map(PolicyCommand::brief).toList());
        } else {
            print(Screen.of(spec), policies);
        }
        return Exit.OK.code();
    }

    private static void print(Screen screen, List<Policy> policies) {
        Table table =
                new Table("NAME", "ATTEMPTS", "TIME-OUT", "LEASE", "RESULTS", "FAILURES", "DEAD LETTERS", "PAUSES");
        for (Policy policy : policies) {
            PolicyWords words = new PolicyWords(policy);
            table.row(
                    policy.name(),
                    policy.retry().maxAttempts(),
                    PolicyWords.time(policy.limits().attemptTimeout()),
                    PolicyWords.time(policy.limits().lease()),
                    PolicyWords.time(policy.retention().success()),
                    policy.options().storeFailures()
                            ? PolicyWords.time(policy.retention().failure())
                            : "none",
                    policy.options().deadLetters()
                            ? PolicyWords.time(policy.retention().deadLetters())
                            : "none",
                    words.pauses());
        }
        table.print(screen);
    }

    @Command(
            name = "show",
            header = "Shows a policy in words: when it tries again, what it retries, what it keeps.",
            description = {"Read-only.", "Exits with 2 when there is no such policy."},
            mixinStandardHelpOptions = true)
    int show(
            @Parameters(paramLabel = "NAME", description = "The name of the policy, such as http.client.") String name,
            @Mixin PolicyOption from,
            @Mixin JsonOption json) {
        Policy policy = from.catalogue().get(name);
        if (json.chosen()) {
            json.print(spec.commandLine().getOut(), full(policy));
        } else {
            print(Screen.of(spec), new PolicyWords(policy));
        }
        return Exit.OK.code();
    }

    private static void print(Screen screen, PolicyWords words) {
        words.facts().forEach(screen::fact);
    }

    /** The settings as configuration writes them. */
    private static Map<String, Object> brief(Policy policy) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (PolicySetting setting : PolicySetting.values()) {
            setting.of(policy).ifPresent(value -> settings.put(setting.key(), value));
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", policy.name());
        facts.put("code", policy.code());
        facts.put("settings", settings);
        return facts;
    }

    private static Map<String, Object> full(Policy policy) {
        PolicyWords words = new PolicyWords(policy);
        Map<String, Object> facts = brief(policy);
        facts.put("pauses_ms", words.delays().stream().map(Duration::toMillis).toList());
        facts.put("retried", words.categories(Category::retried));
        facts.put("not_retried", words.categories(category -> !category.retried()));
        facts.put("stored", words.stored());
        return facts;
    }
}

package dev.semel.cli;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Stands for a command that is not on the class path, because it is not part of the operator's jar. */
abstract class MissingCommand implements Callable<Integer> {
    /** Whatever is asked of the command is accepted, so that the reason is told and not a wrong option. */
    @Unmatched
    private List<String> ignored = new ArrayList<>();

    private final String name;
    private final String what;

    private MissingCommand(String name, String what) {
        this.name = name;
        this.what = what;
    }

    /** All of them. */
    static List<MissingCommand> all() {
        return List.of(new MissingDemo(), new MissingBench());
    }

    String name() {
        return name;
    }

    @Override
    public Integer call() {
        throw new SemelException.Misconfigured(
                name, List.of(what + " not part of this jar; run ./semel " + name + " in a checkout of Semel"));
    }

    @Command(
            description = "Shows webhooks delivered exactly once, while processes are killed. Only in a checkout of"
                    + " Semel, as ./semel demo.",
            mixinStandardHelpOptions = true)
    private static final class MissingDemo extends MissingCommand {
        private MissingDemo() {
            super("demo", "the demo is");
        }
    }

    @Command(
            description =
                    "Measures Semel, and the same work without it. Only in a checkout of Semel, as ./semel bench.",
            mixinStandardHelpOptions = true)
    private static final class MissingBench extends MissingCommand {
        private MissingBench() {
            super("bench", "the benchmarks are");
        }
    }
}

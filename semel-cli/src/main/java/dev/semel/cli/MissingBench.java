package dev.semel.cli;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Stands for the benchmarks where they are not on the class path: in the operator's jar. */
@Command(
        name = MissingBench.NAME,
        description = "Measures Semel, and the same work without it. Only in a checkout of Semel, as ./semel bench.",
        mixinStandardHelpOptions = true)
final class MissingBench implements Callable<Integer> {
    static final String NAME = "bench";

    /** Whatever is asked of the benchmarks is accepted, so that the reason is told and not a wrong option. */
    @Unmatched
    private List<String> ignored = new ArrayList<>();

    @Override
    public Integer call() {
        throw new SemelException.Misconfigured(
                NAME, List.of("the benchmarks are not part of this jar; run ./semel bench in a checkout of Semel"));
    }
}

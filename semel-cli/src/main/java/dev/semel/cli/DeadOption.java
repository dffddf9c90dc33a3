package dev.semel.cli;

import dev.semel.Failure.Category;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Selects messages. */
final class DeadOption {
    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(
            names = "--category",
            paramLabel = "CATEGORY",
            description = "Only failures of this category: ${COMPLETION-CANDIDATES}.")
    private @Nullable Category category;

    @Option(
            names = "--exception",
            paramLabel = "CLASS",
            description = "Only failures with this exception: its class name, or the end of it.")
    private @Nullable String exception;

    boolean isEmpty() {
        return filter.isEmpty() && category == null && exception == null;
    }

    CommandInput input() {
        return filter.input()
                .with("category", category == null ? null : category.code())
                .with("exception", exception);
    }
}

package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;

class CommandLineTest {
    @Test
    void helpNamesEveryCommandAndExitCode() {
        Shell help = semel("--help");
        assertThat(help.exit()).isZero();
        assertThat(help.out()).contains("audit", "doctor", "ops", "schema", "store", "Exit codes:");
        for (Exit exit : Exit.values()) {
            assertThat(help.out()).containsPattern("(?m)^ +" + exit.code() + "   \\w");
        }
    }

    @Test
    void everyCommandHasItsOwnHelp() {
        for (String command : List.of("audit", "demo", "doctor", "ops", "schema", "store")) {
            Shell help = semel(command, "--help");
            assertThat(help.exit()).isZero();
            assertThat(help.out()).contains("Usage: semel " + command);
        }
    }

    @Test
    void benchWithoutTheBenchmarksSaysWhereTheyAre() {
        Shell bench = semel("bench", "channel", "--seconds", "1");
        assertThat(bench.exit()).isEqualTo(2);
        assertThat(bench.err()).contains("bench: the benchmarks are not part of this jar; run ./semel bench");
        assertThat(semel("bench", "--help").out()).contains("Only in a checkout of Semel");
    }

    @Test
    void versionIsPrinted() {
        assertThat(semel("--version").out()).startsWith("semel ").contains("Java ");
    }

    @Test
    void missingCommandIsReported() {
        Shell nothing = semel();
        assertThat(nothing.exit()).isEqualTo(2);
        assertThat(nothing.out()).isEmpty();
        assertThat(nothing.err()).isEqualToNormalizingNewlines("""
                semel: Missing command.
                Try 'semel --help'.
                """);
    }

    @Test
    void mistypedCommandGetsASuggestion() {
        Shell mistyped = semel("docter");
        assertThat(mistyped.exit()).isEqualTo(2);
        assertThat(mistyped.err()).startsWith("semel: ").contains("'docter'", "semel doctor", "Try 'semel --help'.");
    }

    static Stream<Arguments> failures() {
        Throwable cause = new IllegalStateException("below");
        return Stream.of(
                Arguments.of(new SemelException.Invalid("bad key"), 2, "semel: bad key"),
                Arguments.of(
                        new SemelException.Misconfigured("store", List.of("one", "two")), 2, "semel: store: one; two."),
                Arguments.of(new SemelException.StoreUnavailable("away", cause), 3, "semel: away"),
                Arguments.of(new SemelException.OutcomeUnknown("perhaps", cause), 4, "semel: perhaps"),
                Arguments.of(new SemelException.LeaseLost("lost", 7), 1, "semel: lost"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failureIsOneLineAndAnExitCode(Exception failure, int exit, String line) {
        Shell shell = failing(failure, "fail");
        assertThat(shell.exit()).isEqualTo(exit);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).isEqualTo(line + System.lineSeparator());
    }

    @Test
    void internalErrorAsksForAReport() {
        Shell shell = failing(new IllegalStateException("impossible"), "fail");
        assertThat(shell.exit()).isEqualTo(70);
        assertThat(shell.err()).contains("internal error", "impossible", "--verbose");
        assertThat(shell.err()).doesNotContain("\tat ");
    }

    @Test
    void verboseShowsTheStackTraceAtAnyPosition() {
        Exception failure = new SemelException.StoreUnavailable("away", new IllegalStateException("below"));
        assertThat(failing(failure, "fail", "--verbose").err()).contains("semel: away", "\tat ", "below");
        assertThat(failing(failure, "--verbose", "fail").err()).contains("semel: away", "\tat ", "below");
    }

    @Test
    void coloursAreForTerminalsOnly() {
        Shell plain = Shell.run(Main.commandLine(), Ansi.OFF, "doctor", "--store", "memory:");
        Shell coloured = Shell.run(Main.commandLine(), Ansi.ON, "doctor", "--store", "memory:");
        assertThat(plain.out()).doesNotContain("\u001b[");
        assertThat(coloured.out()).contains("\u001b[");
    }

    private static Shell failing(Exception failure, String... args) {
        CommandLine line = Main.commandLine();
        line.addSubcommand(new Failing(failure));
        return Shell.run(line, Ansi.OFF, args);
    }

    @Command(name = "fail")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }
}

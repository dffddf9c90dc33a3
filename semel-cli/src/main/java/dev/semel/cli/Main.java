package dev.semel.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point. A new command is a class of its own and its name in {@code subcommands}. */
@Command(
        name = "semel",
        description = "Makes an operation take effect exactly once, and shows what happened.",
        subcommands = {
            Demo.class,
            Doctor.class,
            Schema.class,
            Audit.class,
            Ops.class,
            Dead.class,
            Channels.class,
            ModeCommand.class,
            Retries.class,
            Reconcile.class,
            ConformanceCommand.class,
            StoreCommand.class,
            Bench.class,
            DemoWorker.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footer = {"", "semel COMMAND --help tells more about a command."})
final class Main implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the whole story of an error.")
    private boolean verbose;

    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        Main main = new Main();
        CommandLine line = new CommandLine(main);
        documentExits(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler(main::refuse);
        line.setExecutionExceptionHandler(main::explain);
        return line;
    }

    /** Every help says what the exit codes mean. */
    private static void documentExits(CommandLine line) {
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(Exit.meanings());
        line.getSubcommands().values().forEach(Main::documentExits);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: a command is missing.");
    }

    private int refuse(ParameterException mistake, String[] args) {
        CommandLine line = mistake.getCommandLine();
        PrintWriter err = line.getErr();
        err.println("semel: " + mistake.getMessage());
        UnmatchedArgumentException.printSuggestions(mistake, err);
        err.println("Try '" + line.getCommandSpec().qualifiedName() + " --help'.");
        return Exit.BAD_INPUT.code();
    }

    private int explain(Exception failure, CommandLine line, ParseResult parsed) {
        Exit exit = Exit.of(failure);
        PrintWriter err = line.getErr();
        if (exit == Exit.BUG) {
            err.println("semel: this should not have happened: " + failure);
            err.println("Please report it with what --verbose shows.");
        } else {
            err.println("semel: " + failure.getMessage());
        }
        if (verbose) {
            failure.printStackTrace(err);
        }
        return exit.code();
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "semel " + (version == null ? "(unpackaged)" : version),
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}

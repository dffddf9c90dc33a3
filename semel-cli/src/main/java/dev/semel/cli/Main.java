package dev.semel.cli;

import java.io.PrintWriter;
import java.util.ServiceLoader;
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

/**
 * The entry point. A new command is a class and an entry in {@code subcommands}; one that operators do not need comes from a jar of
 * its own ({@link AddedCommand}).
 */
@Command(
        name = "semel",
        description = "Inspects and operates a Semel ledger.",
        subcommands = {
            ConfigInit.class,
            ConfigCheck.class,
            Serve.class,
            Reload.class,
            Destinations.class,
            Routes.class,
            Doctor.class,
            Schema.class,
            Audit.class,
            Ops.class,
            Dead.class,
            Channels.class,
            ModeCommand.class,
            PolicyCommand.class,
            Retries.class,
            Deliveries.class,
            ConformanceCommand.class,
            StoreCommand.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footer = {"", "Run semel COMMAND --help for more about a command."})
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Print the stack trace of an error.")
    private boolean verbose;

    private Main() {}

    /** Runs a command and exits with its code. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The command line with all its commands, also those of other jars on the class path. */
    public static CommandLine commandLine() {
        Main main = new Main();
        CommandLine line = new CommandLine(main);
        ServiceLoader.load(AddedCommand.class).forEach(line::addSubcommand);
        MissingCommand.all().stream()
                .filter(missing -> !line.getSubcommands().containsKey(missing.name()))
                .forEach(missing -> line.addSubcommand(missing.name(), missing));
        documentExits(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler(main::refuse);
        line.setExecutionExceptionHandler(main::explain);
        return line;
    }

    /** Every help lists the exit codes. */
    private static void documentExits(CommandLine line) {
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(Exit.meanings());
        line.getSubcommands().values().forEach(Main::documentExits);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command.");
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
            err.println("semel: internal error: " + failure);
            err.println("Please report it with the output of --verbose.");
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

package dev.semel.jdbc.postgres;

import dev.semel.store.StoreProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/** A parameter of a store's URL that is Semel's own: a whole number within limits. Every other one is the driver's. */
enum PostgresParameter {
    POOL_SIZE("poolSize", 10, 1, 1_000, "Connections at most."),
    POOL_WAIT("poolWaitMillis", 10_000, 250, 600_000, "How long a caller waits for a connection, in milliseconds."),
    IDLE_IN_TRANSACTION(
            "idleInTransactionMillis",
            60_000,
            0,
            86_400_000,
            "After how many milliseconds the server ends a session that sits in a transaction and does nothing; 0 for"
                    + " never.");

    /** What the driver is told unless the URL says otherwise. */
    private static final List<StoreProvider.Parameter> OF_THE_DRIVER = List.of(
            driver("ApplicationName", "semel", "What the server shows as the name of the client."),
            driver("connectTimeout", "10", "How long opening a connection may take, in seconds."),
            driver(
                    "socketTimeout",
                    "60",
                    "How long a reply may be silent, in seconds; as a whole it may take five times as long. 0 for no"
                            + " limit."),
            driver("tcpKeepAlive", "true", "Whether dead connections are found by the operating system."));

    private final String parameter;
    private final long preset;
    private final long least;
    private final long most;
    private final String meaning;

    PostgresParameter(String parameter, long preset, long least, long most, String meaning) {
        this.parameter = parameter;
        this.preset = preset;
        this.least = least;
        this.most = most;
        this.meaning = meaning;
    }

    private static StoreProvider.Parameter driver(String name, String preset, String meaning) {
        return new StoreProvider.Parameter(name, preset, "as the driver says", meaning);
    }

    /** Those of Semel, and those of the driver that have another default here. */
    static List<StoreProvider.Parameter> described() {
        return Stream.concat(
                        Arrays.stream(values())
                                .map(each -> new StoreProvider.Parameter(
                                        each.parameter,
                                        String.valueOf(each.preset),
                                        each.least + " to " + each.most,
                                        each.meaning)),
                        OF_THE_DRIVER.stream())
                .toList();
    }

    static Properties ofTheDriver() {
        Properties driver = new Properties();
        OF_THE_DRIVER.forEach(each -> driver.setProperty(each.name(), each.preset()));
        return driver;
    }

    long preset() {
        return preset;
    }

    /** Takes it out of the URL's parameters. */
    long take(Map<String, String> parameters, List<String> faults) {
        String text = parameters.remove(parameter);
        if (text == null) {
            return preset;
        }
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        faults.add(parameter + " is \"" + text + "\"; it must be a whole number from " + least + " to " + most);
        return preset;
    }
}

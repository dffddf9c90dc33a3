package dev.semel.store;

import dev.semel.SemelException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The kinds of store that are on the class path. Immutable. */
public final class Stores {
    private static final int LONGEST_QUOTE = 40;
    private static final int NEAR = 2;

    private final List<StoreProvider> providers;

    Stores(List<StoreProvider> providers) {
        this.providers = providers.stream()
                .sorted(Comparator.comparing(StoreProvider::engine))
                .toList();
    }

    /** The providers that {@link ServiceLoader} finds. */
    public static Stores installed() {
        return new Stores(ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList());
    }

    /**
     * Opens the store at the URL with the first kind that accepts it.
     *
     * @throws SemelException.Misconfigured when no kind does, naming those there are; the URL is not repeated, since it may
     *     hold a password
     */
    public static Store open(String url, StoreProvider.Options options) {
        return installed().provider(url).open(url, options);
    }

    /**
     * Opens the store in the database that the data source leads to, with the kind that names this database.
     *
     * @throws SemelException.Misconfigured when no kind does, naming the databases there are
     * @throws SemelException.StoreUnavailable when the database cannot be reached
     */
    public static Store open(DataSource source, StoreProvider.Options options) {
        return installed().provider(source).open(source, options);
    }

    /** All kinds, by name. */
    public List<StoreProvider> all() {
        return providers;
    }

    /** @throws SemelException.Misconfigured when no kind accepts the URL */
    public StoreProvider provider(String url) {
        return providers.stream()
                .filter(provider -> provider.accepts(url))
                .findFirst()
                .orElseThrow(() -> unaccepted(url));
    }

    /** @throws SemelException.Misconfigured when no kind opens data sources of the database */
    public StoreProvider provider(DataSource source) {
        List<StoreProvider> openers = providers.stream()
                .filter(provider -> provider.database().isPresent())
                .toList();
        if (openers.isEmpty()) {
            throw new SemelException.Misconfigured(
                    "store",
                    List.of(
                            "no store on the class path opens a data source: add dev.semel:semel-jdbc for PostgreSQL and"
                                    + " SQLite"));
        }
        String found = openers.get(0).databaseOf(source);
        return openers.stream()
                .filter(provider -> provider.database().orElse("").equals(found))
                .findFirst()
                .orElseThrow(() -> unsupported(found, openers));
    }

    private static SemelException.Misconfigured unsupported(String found, List<StoreProvider> openers) {
        String known = openers.stream()
                .map(provider -> provider.database().orElse(""))
                .sorted()
                .collect(Collectors.joining(" or "));
        return new SemelException.Misconfigured(
                "store",
                List.of("the data source leads to " + found + ", which cannot hold the ledger: use a data source of "
                        + known + ", or open a store of its own by URL, such as "
                        + openers.get(0).example()));
    }

    /**
     * The kind with the name, as in {@code sqlite}.
     *
     * @throws SemelException.Misconfigured when there is none
     */
    public StoreProvider engine(String name) {
        return providers.stream()
                .filter(provider -> provider.engine().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown("no engine is called " + quoted(name), name, StoreProvider::engine));
    }

    private SemelException.Misconfigured unaccepted(String url) {
        String scheme = scheme(url);
        if (scheme.equals("memory")
                && providers.stream().noneMatch(provider -> provider.engine().equals("memory"))) {
            return new SemelException.Misconfigured(
                    "store",
                    List.of("no store on the class path opens 'memory:', which is for tests: add"
                            + " dev.semel:semel-testkit in test scope"));
        }
        return scheme.isEmpty()
                ? unknown("the URL does not start with a kind of store and a colon", url, StoreProvider::example)
                : unknown("no store opens '" + scheme + ":...'", scheme, StoreProvider::example);
    }

    private SemelException.Misconfigured unknown(String what, String given, Function<StoreProvider, String> form) {
        if (providers.isEmpty()) {
            return new SemelException.Misconfigured(
                    "store", List.of("no store is on the class path: add dev.semel:semel-jdbc"));
        }
        String near = providers.stream()
                .filter(provider -> isNear(given, provider.engine()))
                .findFirst()
                .map(provider -> " (did you mean " + form.apply(provider) + "?)")
                .orElse("");
        String known = providers.stream().map(form).collect(Collectors.joining(", "));
        String missing =
                providers.stream().anyMatch(provider -> provider.engine().equals("sqlite"))
                        ? ""
                        : "; add dev.semel:semel-jdbc for SQLite and PostgreSQL";
        return new SemelException.Misconfigured("store", List.of(what + near + "; known are " + known + missing));
    }

    /** The part that is safe to repeat: letters before the first colon, with the {@code jdbc:} that is often put before. */
    private static String scheme(String url) {
        int from = url.startsWith("jdbc:") ? "jdbc:".length() : 0;
        int to = url.indexOf(':', from);
        String scheme = to < 0 ? "" : url.substring(0, to);
        return scheme.length() <= LONGEST_QUOTE && scheme.matches("[A-Za-z][A-Za-z0-9+.:-]*") ? scheme : "";
    }

    private static boolean isNear(String given, String engine) {
        String name = given.toLowerCase(Locale.ROOT).replaceFirst("^jdbc:", "");
        boolean shortened = name.length() > 1 && engine.startsWith(name);
        return shortened || distance(name, engine) <= NEAR;
    }

    private static String quoted(String text) {
        return "'" + (text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + "...") + "'";
    }

    /** Levenshtein's. */
    private static int distance(String a, String b) {
        if (Math.abs(a.length() - b.length()) > NEAR) {
            return NEAR + 1;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}

package dev.semel.spring;

import dev.semel.operator.Replays;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * What Semel uses by reflection, as a resource or as a proxy, for ahead-of-time processing. The types of {@link Idempotent} methods
 * and channel handlers are found by {@link HandlerTypes}.
 */
final class SemelHints implements RuntimeHintsRegistrar {
    private static final List<String> RESOURCES = List.of(
            "dev/semel/jdbc/postgres/*.sql",
            "dev/semel/jdbc/sqlite/*.sql",
            "dev/semel/spring/liquibase.xml",
            "META-INF/services/dev.semel.*");

    private static final List<Class<?>> PROXIED = List.of(
            Connection.class,
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            ResultSet.class,
            DatabaseMetaData.class);

    /** Optional types, by name. */
    private static final String RESPONSE = "jakarta.servlet.http.HttpServletResponse";

    private static final String HEADERS = "org.springframework.http.HttpHeaders";
    private static final String LIQUIBASE = "liquibase.change.custom.CustomTaskChange";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        RESOURCES.forEach(pattern -> hints.resources().registerPattern(pattern));
        PROXIED.forEach(type -> hints.proxies().registerJdkProxy(type));
        hints.proxies()
                .registerJdkProxy(builder -> builder.onReachableType(TypeReference.of(RESPONSE))
                        .proxiedInterfaces(TypeReference.of(RESPONSE)));
        hints.reflection().registerTypeIfPresent(loader, HEADERS, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        if (ClassUtils.isPresent(LIQUIBASE, loader)) {
            hints.reflection().registerType(LedgerTables.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        }
        // The progress of a bulk replay is stored as JSON.
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), Replays.Bulk.class);
        // The names of all properties are read from these records.
        List.of(
                        SemelProperties.class,
                        SemelHttpProperties.class,
                        SemelRouteProperties.class,
                        SemelIntegrationProperties.class,
                        SemelConsoleProperties.class)
                .forEach(type ->
                        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), type));
    }
}

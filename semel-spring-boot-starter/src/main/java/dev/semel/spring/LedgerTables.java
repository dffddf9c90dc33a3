package dev.semel.spring;

import dev.semel.jdbc.ApplicationStore;
import java.sql.SQLException;
import liquibase.change.custom.CustomTaskChange;
import liquibase.database.Database;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.CustomChangeException;
import liquibase.exception.ValidationErrors;
import liquibase.resource.ResourceAccessor;

/**
 * Installs the ledger's tables with Liquibase and its database role: the change of Semel's change log. The change log has one change
 * set for each version of the schema; each brings the tables to the newest version, so that on a new database only the first of
 * them has something to do.
 */
public final class LedgerTables implements CustomTaskChange {
    @Override
    public void execute(Database database) throws CustomChangeException {
        if (!(database.getConnection() instanceof JdbcConnection connection)) {
            throw new CustomChangeException(
                    "The ledger's tables can be installed only over a JDBC connection, not over "
                            + database.getConnection() + ": use the change log online.");
        }
        try {
            ApplicationStore.install(connection.getUnderlyingConnection());
        } catch (SQLException e) {
            throw new CustomChangeException(
                    "Installing the ledger's tables failed; nothing was changed: " + e.getMessage(), e);
        }
    }

    @Override
    public String getConfirmationMessage() {
        return "Semel's ledger is at schema version " + ApplicationStore.schemaVersion();
    }

    @Override
    public void setUp() {}

    @Override
    public void setFileOpener(ResourceAccessor accessor) {}

    @Override
    public ValidationErrors validate(Database database) {
        return new ValidationErrors();
    }
}

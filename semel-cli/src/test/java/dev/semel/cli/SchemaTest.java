package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import org.junit.jupiter.api.Test;

class SchemaTest {
    @Test
    void schemaOfEveryEngineIsPrinted() {
        for (StoreProvider provider : Stores.installed().all()) {
            Shell shell = semel("schema", "print", "--engine", provider.engine());
            assertThat(shell.exit()).isZero();
            assertThat(shell.err()).isEmpty();
            assertThat(shell.out()).contains(provider.ddl().strip());
        }
    }

    @Test
    void printedSchemaCreatesTheTables() {
        assertThat(semel("schema", "print", "--engine", "sqlite").out()).containsIgnoringCase("create table");
        assertThat(semel("schema", "print", "--engine", "postgresql").out()).containsIgnoringCase("create table");
    }

    @Test
    void engineWithoutSchemaPrintsASqlComment() {
        assertThat(semel("schema", "print", "--engine", "memory").out())
                .isEqualToNormalizingNewlines("-- memory needs no schema\n");
    }

    @Test
    void unknownEngineIsBadInputThatNamesTheKnownOnes() {
        Shell shell = semel("schema", "print", "--engine", "memry");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("no engine is called 'memry' (did you mean memory?)");
    }

    @Test
    void helpNamesTheEngines() {
        assertThat(semel("schema", "print", "--help").out()).contains("memory");
    }

    @Test
    void missingSubcommandListsTheSubcommands() {
        Shell shell = semel("schema");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("print", "Try 'semel schema --help'.");
    }
}

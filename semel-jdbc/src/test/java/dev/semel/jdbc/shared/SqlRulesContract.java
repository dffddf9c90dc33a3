package dev.semel.jdbc.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of every engine about a handler's SQL; an engine's test adds its own statements. */
public abstract class SqlRulesContract {
    private final SqlRules rules;

    protected SqlRulesContract(SqlRules rules) {
        this.rules = rules;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "\uFEFFCOMMIT",
                "/**/commit",
                "--\n--\nEND",
                "select 1;;;COMMIT",
                "insert into t values (';'); rollback",
                "select \"a'b\"; commit; select 'x'",
                "ROLLBACK TO SAVEPOINT semel_part_0",
                "rollback transaction",
                "RELEASE semel_1",
                "savepoint \"SEMEL_x\"",
                "BEGIN IMMEDIATE"
            })
    void whatEndsATransactionIsRefused(String text) {
        assertThat(rules.judge(text).refusal()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "select 1",
                "select 'COMMIT'",
                "select 1 as commit_count",
                "insert into commits values (1)",
                "SAVEPOINT mine",
                "ROLLBACK TO mine",
                "rollback transaction to savepoint mine",
                "release savepoint mine",
                "update t set a = 'it''s; COMMIT'",
                "create table t (temp text)",
                "-- COMMIT"
            })
    void whatReadsAndWritesIsAdmitted(String text) {
        assertThat(rules.judge(text).refusal()).isNull();
        assertThat(rules.judge(text).changesSession()).isFalse();
    }
}

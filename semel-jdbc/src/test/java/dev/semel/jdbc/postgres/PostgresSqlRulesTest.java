package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.SqlRules;
import dev.semel.jdbc.shared.SqlRulesContract;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresSqlRulesTest extends SqlRulesContract {
    private static final SqlRules RULES = PostgresSqlRules.RULES;

    PostgresSqlRulesTest() {
        super(RULES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "START TRANSACTION",
                "ABORT",
                "PREPARE TRANSACTION 'x'",
                "/* /* nested */ ' */ COMMIT",
                "-- x\rCOMMIT",
                "select $$;$$; COMMIT",
                "select $a$ $$ ; $a$; COMMIT",
                "select E'\\'; select 1'; COMMIT",
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
                "set local transaction_isolation = 'serializable'",
                "RELEASE JDBC_SAVEPOINT_0"
            })
    void whatPostgresTakesForAnEndIsRefused(String text) {
        assertThat(RULES.judge(text).refusal()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select $$COMMIT; ROLLBACK$$",
                "select E'\\'; COMMIT'",
                "select $1, $2; select a$b$c from t",
                "create function f() returns int begin atomic select 1; select 2; end",
                "SET LOCAL search_path = x",
                "select set_config('app.tenant', ?, true)",
                "SET CONSTRAINTS ALL DEFERRED",
                "create temp table t (a int) on commit drop",
                "{call f(?)}"
            })
    void whatStaysInsideTheTransactionIsAdmitted(String text) {
        assertThat(RULES.judge(text)).isEqualTo(RULES.judge("select 1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET search_path = x",
                "SET SESSION statement_timeout = 5",
                "SET ROLE admin",
                "RESET ALL",
                "LISTEN x",
                "select set_config('a.b', 'c', false)",
                "select set_config('a.b', ?, ?)",
                "select set_config('a.b', 'c', true), set_config('d', 'e', false)",
                "select pg_advisory_lock(1)",
                "create temp table t (a int)",
                "select 1 as a into temporary t",
                "prepare p as select 1",
                "declare c cursor with hold for select 1",
                "do $$ begin perform 1; end $$"
            })
    void whatChangesTheSessionIsTold(String text) {
        assertThat(RULES.judge(text).refusal()).isNull();
        assertThat(RULES.judge(text).changesSession()).isTrue();
    }
}

package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlRulesTest {
    private static final List<SqlRules> BOTH = List.of(SqlRules.SQLITE, SqlRules.POSTGRESQL);

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
    void whatEndsATransactionIsRefusedByBoth(String text) {
        assertThat(BOTH)
                .allSatisfy(rules -> assertThat(rules.judge(text).refusal()).isNotNull());
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
    void whatReadsAndWritesIsAdmittedByBoth(String text) {
        assertThat(BOTH).allSatisfy(rules -> {
            assertThat(rules.judge(text).refusal()).isNull();
            assertThat(rules.judge(text).changesSession()).isFalse();
        });
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
        assertThat(SqlRules.POSTGRESQL.judge(text).refusal()).isNotNull();
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
    void whatStaysInsideTheTransactionIsAdmittedOnPostgres(String text) {
        assertThat(SqlRules.POSTGRESQL.judge(text)).isEqualTo(SqlRules.POSTGRESQL.judge("select 1"));
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
    void whatChangesTheSessionIsToldOnPostgres(String text) {
        assertThat(SqlRules.POSTGRESQL.judge(text).refusal()).isNull();
        assertThat(SqlRules.POSTGRESQL.judge(text).changesSession()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRAGMA synchronous = OFF",
                "pragma main.synchronous(0)",
                "PRAGMA foreign_keys=ON",
                "PRAGMA wal_checkpoint",
                "PRAGMA optimize",
                "ATTACH 'x' AS y",
                "DETACH y",
                "select [a;b], `c;d`; END"
            })
    void whatChangesTheSharedConnectionIsRefusedOnSqlite(String text) {
        assertThat(SqlRules.SQLITE.judge(text).refusal()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRAGMA table_info(effect)",
                "PRAGMA foreign_keys",
                "PRAGMA main.page_count",
                "PRAGMA defer_foreign_keys = ON",
                "create trigger t after insert on a begin insert into b values (1); delete from c; end",
                "create trigger t after insert on a begin select case when 1 then 2 end; end; select 1",
                "select [a;COMMIT]"
            })
    void whatHarmsNobodyIsAdmittedOnSqlite(String text) {
        assertThat(SqlRules.SQLITE.judge(text)).isEqualTo(SqlRules.SQLITE.judge("select 1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"create temp table t (a)", "CREATE TABLE IF NOT EXISTS temp.t (a)"})
    void temporaryTablesAreToldOnSqlite(String text) {
        assertThat(SqlRules.SQLITE.judge(text).changesSession()).isTrue();
    }
}

package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.SqlRules;
import dev.semel.jdbc.shared.SqlRulesContract;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteSqlRulesTest extends SqlRulesContract {
    private static final SqlRules RULES = SqliteSqlRules.RULES;

    SqliteSqlRulesTest() {
        super(RULES);
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
    void whatChangesTheSharedConnectionIsRefused(String text) {
        assertThat(RULES.judge(text).refusal()).isNotNull();
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
    void whatHarmsNobodyIsAdmitted(String text) {
        assertThat(RULES.judge(text)).isEqualTo(RULES.judge("select 1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"create temp table t (a)", "CREATE TABLE IF NOT EXISTS temp.t (a)"})
    void temporaryTablesAreTold(String text) {
        assertThat(RULES.judge(text).changesSession()).isTrue();
    }
}

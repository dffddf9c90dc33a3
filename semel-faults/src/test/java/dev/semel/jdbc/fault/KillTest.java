package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B1: {@code kill -9} of the application at random. {@code -Dsemel.kills} and {@code -Dsemel.seed} change it. */
@Timeout(7_200)
class KillTest {
    private static final int KILLS =
            Integer.getInteger("semel.kills", Boolean.getBoolean("semel.campaign") ? 5_000 : 60);
    private static final int FLAWED_KILLS = 16;

    @TempDir
    private Path directory;

    @Test
    void b1_killedApplicationsOnSqliteLoseNothingAndDoubleNothing() throws Exception {
        loseAndDoubleNothing(RunDatabases.sqlite(directory));
    }

    @Test
    void b1_killedApplicationsOnPostgresLoseNothingAndDoubleNothing() throws Exception {
        loseAndDoubleNothing(RunDatabases.postgres());
    }

    @Test
    void b1_applicationThatAcknowledgesBeforeTheCommitIsCaughtOnSqlite() throws Exception {
        assertThat(flawed(RunDatabases.sqlite(directory), ServiceBug.ACKNOWLEDGES_BEFORE_COMMIT)
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R9);
    }

    @Test
    void b1_applicationThatAcknowledgesBeforeTheCommitIsCaughtOnPostgres() throws Exception {
        assertThat(flawed(RunDatabases.postgres(), ServiceBug.ACKNOWLEDGES_BEFORE_COMMIT)
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R9);
    }

    @Test
    void b1_applicationThatCommitsItsEffectAloneIsCaught() throws Exception {
        assertThat(flawed(RunDatabases.postgres(), ServiceBug.COMMITS_THE_EFFECT_ALONE)
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R2);
    }

    private void loseAndDoubleNothing(RunDatabases place) throws Exception {
        KillCampaign campaign = new KillCampaign(place, directory);
        KillCampaign.Tally tally = campaign.kill(KILLS, ServiceBug.NONE);
        campaign.finish();
        Judgement judgement = campaign.judge();
        System.out.println("B1 " + place.store().split(":")[0] + ": " + tally + ", " + judgement.counts());
        judgement.assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
        assertThat(tally.inTheMiddleOfACall()).as(tally.toString()).isGreaterThan(KILLS / 4);
    }

    private Judgement flawed(RunDatabases place, ServiceBug flaw) throws Exception {
        KillCampaign campaign = new KillCampaign(place, directory);
        campaign.kill(FLAWED_KILLS, flaw);
        campaign.finish();
        return campaign.judge();
    }
}

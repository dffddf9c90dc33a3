package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B1: {@code kill -9} of the application at random. {@code -Dsemel.kills} and {@code -Dsemel.seed} change it. */
@Timeout(7_200)
class KillTest {
    private static final int KILLS =
            Integer.getInteger("semel.kills", Boolean.getBoolean("semel.campaign") ? 5_000 : 60);
    private static final int FLAWED_KILLS = 16;
    private static final int FLAWED_ROUNDS = 20;

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
        assertCaught(RunDatabases::sqlite, ServiceBug.ACKNOWLEDGES_BEFORE_COMMIT, Rule.R9);
    }

    @Test
    void b1_applicationThatAcknowledgesBeforeTheCommitIsCaughtOnPostgres() throws Exception {
        assertCaught(round -> RunDatabases.postgres(), ServiceBug.ACKNOWLEDGES_BEFORE_COMMIT, Rule.R9);
    }

    @Test
    void b1_applicationThatCommitsItsEffectAloneIsCaught() throws Exception {
        assertCaught(round -> RunDatabases.postgres(), ServiceBug.COMMITS_THE_EFFECT_ALONE, Rule.R2);
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

    private interface Databases {
        RunDatabases in(Path directory) throws Exception;
    }

    /** A kill has to come at the wrong moment: on a slow machine it may take some rounds. */
    private void assertCaught(Databases databases, ServiceBug flaw, Rule rule) throws Exception {
        List<Rule> broken = List.of();
        for (int round = 1; round <= FLAWED_ROUNDS && !broken.contains(rule); round++) {
            Path own = Files.createDirectory(directory.resolve("round-" + round));
            KillCampaign campaign = new KillCampaign(databases.in(own), own);
            campaign.kill(FLAWED_KILLS, flaw);
            campaign.finish();
            broken = campaign.judge().violations().stream().map(Violation::rule).toList();
        }
        assertThat(broken).contains(rule);
    }
}

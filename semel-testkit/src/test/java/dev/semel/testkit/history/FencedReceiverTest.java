package dev.semel.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.FencedReceiver.Delivery;
import dev.semel.time.TimeSource;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class FencedReceiverTest {
    private final History history = History.inMemory("sink", TimeSource.system());

    @Test
    void oneInMemoryAppliesOnceCountsRepetitionsAndRefusesOldFences() throws SQLException {
        check(FencedReceiver.inMemory(history));
    }

    @Test
    void oneInATableDoesTheSame() throws SQLException {
        PrivatePostgres postgres = PrivatePostgres.shared();
        var database = new PGSimpleDataSource();
        database.setUrl(postgres.jdbcUrl(postgres.freshDatabase()));
        check(FencedReceiver.inTable(database, history));
        assertThat(FencedReceiver.inTable(database, history).deliver(Delivery.of("a", 9, 3, null)))
                .isEqualTo(Reception.REPEATED);
    }

    private void check(FencedReceiver sink) throws SQLException {
        assertThat(sink.deliver(Delivery.of("a", 5, 1, new byte[] {1}))).isEqualTo(Reception.APPLIED);
        assertThat(sink.deliver(Delivery.of("a", 5, 1, new byte[] {1}))).isEqualTo(Reception.REPEATED);
        assertThat(sink.deliver(Delivery.of("a", 7, 2, null))).isEqualTo(Reception.REPEATED);
        assertThat(sink.deliver(Delivery.of("a", 6, 2, null))).isEqualTo(Reception.REFUSED);
        assertThat(sink.deliver(new Delivery("b", 1, 1, null, new Event.Place("lane", 1))))
                .isEqualTo(Reception.APPLIED);
        history.invoke("a", new byte[] {1});
        history.invoke("b", null);
        Judgement judgement = HistoryChecker.check(history.events());
        judgement.assertHolds(Rule.R2, Rule.R4, Rule.R10);
        assertThat(judgement.counts()).isEqualTo(new Judgement.Counts(2, 2, 2, 2, 1));
    }
}

package dev.semel.examples.desk.crm;

import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.CrmRecord;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.shared.Database;
import dev.semel.examples.desk.web.JsonService;
import dev.semel.key.Keys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Writes quotes back to the CRM, each under its external reference, and keeps in a table which of them are there. */
public final class CrmSync {
    private final Semel semel;
    private final JsonService crm;
    private final Checkpoint checkpoint;

    public CrmSync(Semel semel, JsonService crm, Checkpoint checkpoint) {
        this.semel = semel;
        this.crm = crm;
        this.checkpoint = checkpoint;
    }

    /** Handles the channel of the CRM, and its dead letters. */
    public void register() {
        semel.onDead(Channels.CRM, this::dead);
        semel.handle(Channels.CRM, this::write);
    }

    private void write(CrmRecord record, LeasedContext run) throws Exception {
        try {
            crm.post(
                    "/crm/deals",
                    Map.of(
                            "external_id", record.reference(),
                            "customer", record.customer(),
                            "total_cents", record.totalCents()),
                    Map.of("Idempotency-Key", record.reference()));
        } catch (Failure.Thrown e) {
            if (e.failure().category() == Failure.Category.AUTH) {
                askForLogin(record, run);
            }
            throw e;
        }
        checkpoint.reached("crm.after-call");
        semel.inTransaction(tx -> store(tx.connection(), record, "SYNCED", ""));
    }

    /** The channel pauses itself; a person has to renew the login. Said once for each quote. */
    private static void askForLogin(CrmRecord record, LeasedContext run) {
        String token = "crm-login:" + record.reference();
        String text = "The CRM login has expired, so " + record.quote()
                + " waits. Please renew it, then run `semel channels resume crm-writeback`.";
        Note note = new Note(record.asked().channel(), token, text, List.of(), record.asked());
        run.send(Channels.NOTICE, Channels.message(Keys.messageId(token), note, record.asked()));
    }

    // region dead
    /** In the commit of the dead letter: the state of the sync, and what the user is told. */
    private void dead(Death<CrmRecord> death, AtomicContext tx) throws SQLException {
        CrmRecord record = death.payload().orElseThrow();
        store(tx.connection(), record, "FAILED", death.failure().reason());
        String text = record.quote() + " is not in the CRM: " + death.failure().reason() + " (ref "
                + death.correlationId() + ")";
        List<Note.Button> buttons = List.of(
                new Note.Button("Retry", "retry", death.record().id()),
                new Note.Button("Check status", "status", death.record().id()),
                new Note.Button("Cancel", "cancel", death.record().id()));
        Note note = new Note(record.asked().channel(), death.key("crm-notice").text(), text, buttons, record.asked());
        tx.send(Channels.NOTICE, Channels.message(death.key("crm-notice"), note, record.asked()));
    }
    // endregion

    private static int store(Connection connection, CrmRecord record, String state, String detail) throws SQLException {
        return Database.write(
                connection,
                "INSERT OR REPLACE INTO crm_sync VALUES (?, ?, ?, ?)",
                record.reference(),
                record.quote(),
                state,
                detail);
    }
}

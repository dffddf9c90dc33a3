package dev.semel.examples.desk.slack;

import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Card;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.shared.Database;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Shows the state of each quote in one Slack message, which every delivery updates. */
public final class StatusCards {
    private final Semel semel;
    private final Database database;
    private final SlackApi slack;
    private final Checkpoint checkpoint;

    public StatusCards(Semel semel, Database database, SlackApi slack, Checkpoint checkpoint) {
        this.semel = semel;
        this.database = database;
        this.slack = slack;
        this.checkpoint = checkpoint;
    }

    /** Handles the channel of status cards. */
    public void register() {
        semel.handle(Channels.STATUS, this::show);
    }

    // region converge
    private void show(Card card, LeasedContext run) throws Exception {
        checkpoint.reached("status.before-call");
        String token = "card:" + card.quote();
        Optional<String> known = ts(card.quote());
        Optional<String> posted = known.isPresent() ? known : slack.find(card.channel(), token);
        if (posted.isPresent()) {
            slack.update(card.channel(), posted.get(), card.text());
        } else {
            posted = Optional.of(slack.post(card.channel(), card.text(), List.of(), token));
        }
        checkpoint.reached("status.after-call");
        if (known.isEmpty()) {
            remember(card.quote(), posted.get());
        }
    }
    // endregion

    private Optional<String> ts(String quote) throws SQLException {
        return database.first("SELECT ts FROM slack_card WHERE quote = ?", row -> row.getString(1), quote);
    }

    private void remember(String quote, String ts) throws SQLException {
        semel.inTransaction(
                tx -> Database.write(tx.connection(), "INSERT OR REPLACE INTO slack_card VALUES (?, ?)", quote, ts));
    }
}

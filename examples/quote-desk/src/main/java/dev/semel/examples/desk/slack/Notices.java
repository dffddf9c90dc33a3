package dev.semel.examples.desk.slack;

import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.Note;

/** Appends messages to Slack channels. A delivery whose token is there already posts nothing. */
public final class Notices {
    private final SlackApi slack;
    private final Checkpoint checkpoint;

    public Notices(SlackApi slack, Checkpoint checkpoint) {
        this.slack = slack;
        this.checkpoint = checkpoint;
    }

    /** Handles the channel of notices. */
    public void register(Semel semel) {
        semel.handle(Channels.NOTICE, this::post);
    }

    private void post(Note note, LeasedContext run) throws InterruptedException {
        if (slack.find(note.channel(), note.token()).isEmpty()) {
            slack.post(note.channel(), note.text(), note.buttons(), note.token());
        }
        checkpoint.reached("notice.after-call");
    }
}

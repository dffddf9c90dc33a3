package dev.semel.examples.desk.outbox;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.examples.desk.shared.Asked;

/** The channels of the desk, each with the policy of its class in Semel's catalogue. */
public final class Channels {
    private Channels() {}

    // region channels
    /** The status card of a quote: at least once, and every delivery updates the same Slack message. */
    public static final Channel.Leased<Card> STATUS = Channel.leased("slack-status", Card.class)
            .withPolicy(Policy.SLACK_MESSAGE)
            .withLane(Card::quote)
            .withTransportFields(Asked.FIELD);

    /** A new message in Slack: at least once, recognised by the token in its metadata. */
    public static final Channel.Leased<Note> NOTICE = Channel.leased("slack-notice", Note.class)
            .withPolicy(Policy.SLACK_MESSAGE)
            .withTransportFields(Asked.FIELD);

    /** A quote in the CRM: at least once, under an external reference. */
    public static final Channel.Leased<CrmRecord> CRM = Channel.leased("crm-writeback", CrmRecord.class)
            .withPolicy(Policy.CRM_WRITEBACK)
            .withTransportFields(Asked.FIELD);

    /** The PDF of a quote: at least once, the same content is the same file. */
    public static final Channel.Leased<RenderJob> RENDER = Channel.leased("pdf-render", RenderJob.class)
            .withPolicy(Policy.PDF_RENDER)
            .withTransportFields(Asked.FIELD);

    /** A PDF in Slack: at least once, by its checksum. */
    public static final Channel.Leased<UploadJob> UPLOAD = Channel.leased("pdf-upload", UploadJob.class)
            .withPolicy(Policy.SLACK_MESSAGE)
            .withTransportFields(Asked.FIELD);

    /** Free text for the model: what it cannot read becomes a question to the user. */
    public static final Channel.Leased<FreeText> EXTRACT = Channel.leased("llm-extract", FreeText.class)
            .withPolicy(Policy.LLM_EXTRACT)
            .withTransportFields(Asked.FIELD);
    // endregion

    /** A message that carries on who asked, for the audit. */
    public static <P> Message<P> message(Key key, P payload, Asked asked) {
        return Message.of(Tenant.SINGLE, key, payload).withOrigin(asked.origin());
    }
}

package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard;
import dev.semel.worker.ExternalClaims;
import dev.semel.worker.ExternalClaims.ClaimTerms;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Messages of {@link ChannelFixture} that are handled outside this process. */
abstract class ExternalClaimFixture extends ChannelFixture {
    static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    static final Warrant WARRANT = new Warrant("ann", "drill");
    static final MessageEnd RECORDED = new MessageEnd.MessageDone();
    static final MessageEnd NOT_HELD = new MessageEnd.MessageNotHeld();
    static final MessageEnd HANDED_BACK = new MessageEnd.HandedBack();

    ExternalClaims claims;

    @SuppressWarnings("NullAway.Init")
    ExternalClaimFixture(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void openClaims() {
        claims = engine.externalClaims();
    }

    static ClaimTerms terms(int most) {
        return terms(most, null);
    }

    static ClaimTerms terms(int most, @Nullable String claimId) {
        return new ClaimTerms(most, TEN_SECONDS, Duration.ZERO, claimId);
    }

    List<ExternalMessage<Note>> outside(Channel.Leased<Note> channel, int most) {
        return claims.claim(channel, ACME, terms(most));
    }

    ExternalMessage<Note> one(Channel.Leased<Note> channel) {
        List<ExternalMessage<Note>> messages = outside(channel, 1);
        assertThat(messages).hasSize(1);
        return messages.get(0);
    }

    static List<String> keys(List<ExternalMessage<Note>> messages) {
        return messages.stream().map(ExternalMessage::key).toList();
    }

    static List<RunHandle> runs(List<ExternalMessage<Note>> messages) {
        return messages.stream().map(ExternalMessage::run).toList();
    }

    List<MessageEnd> finishAll(Channel.Leased<Note> channel, List<ExternalMessage<Note>> messages) {
        return claims.finish(channel, runs(messages));
    }

    MessageEnd finish(Channel.Leased<Note> channel, ExternalMessage<Note> message) {
        return claims.finish(channel, List.of(message.run())).get(0);
    }

    MessageEnd fail(Channel.Leased<Note> channel, ExternalMessage<Note> message, Failure.Category category) {
        return fail(channel, message, Failure.of(category, "simulated"), null);
    }

    MessageEnd fail(
            Channel.Leased<Note> channel, ExternalMessage<Note> message, Failure failure, @Nullable Boolean retryable) {
        return claims.fail(channel, List.of(new MessageFailure(message.run(), failure, retryable)))
                .get(0);
    }

    List<MessageEnd> release(Channel.Leased<Note> channel, List<ExternalMessage<Note>> messages) {
        return claims.release(channel, runs(messages));
    }

    void sendAll(Channel<Note> channel, String lane, String... keys) {
        Arrays.stream(keys).forEach(key -> send(channel, key, lane));
    }

    void switchTo(Channel<Note> channel, Mode mode) {
        engine.operator().setMode(new Switchboard.Setting(null, channel.name(), mode), WARRANT);
    }
}

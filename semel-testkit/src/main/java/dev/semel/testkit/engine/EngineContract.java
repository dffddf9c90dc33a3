package dev.semel.testkit.engine;

import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * What a caller is promised, as tests of the engine on a store. The author of a store extends this class beside
 * {@link dev.semel.testkit.StoreContract} and says how an empty store is opened and where a test's effects go.
 */
public abstract class EngineContract {
    /** An empty store that judges time by this clock. Called before each test; the suite closes it. */
    protected abstract Store open(TimeSource time);

    /** Another handle on the same place, as another node has it. */
    protected abstract Store reopen(Store first, TimeSource time);

    /** Where the effects of a test go: data of the same store. */
    protected abstract Effects effects(Store store) throws Exception;

    /** A connection of the application's own, for joined transactions. Absent without JDBC. */
    protected Optional<Connection> connect() throws SQLException {
        return Optional.empty();
    }

    /**
     * Whether tests that make each store call fail in turn do so on each channel and operation. By default they take each call on
     * one of them, because on a database it takes minutes; with the system property {@code semel.campaign} they take all.
     */
    protected boolean strikesEverywhere() {
        return Boolean.getBoolean("semel.campaign");
    }

    @Nested
    class BadData extends BadDataSuite {
        BadData() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ResultsThatCannotBeStored extends UnstorableResultSuite {
        ResultsThatCannotBeStored() {
            super(EngineContract.this);
        }
    }

    @Nested
    class AtomicCalls extends AtomicSuite {
        AtomicCalls() {
            super(EngineContract.this);
        }
    }

    @Nested
    class AtomicFailures extends AtomicFailureSuite {
        AtomicFailures() {
            super(EngineContract.this);
        }
    }

    @Nested
    class NotedAttempts extends NotedAttemptSuite {
        NotedAttempts() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DeliveringLargePayloads extends LargePayloadDeliverySuite {
        DeliveringLargePayloads() {
            super(EngineContract.this);
        }
    }

    @Nested
    class FrequentDuplicates extends FrequentDuplicatesSuite {
        FrequentDuplicates() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LeasedCalls extends LeasedSuite {
        LeasedCalls() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Takeovers extends TakeoverSuite {
        Takeovers() {
            super(EngineContract.this);
        }
    }

    @Nested
    class OwnersThatComeLate extends LateOwnerSuite {
        OwnersThatComeLate() {
            super(EngineContract.this);
        }
    }

    @Nested
    class InterruptedSteps extends InterruptedStepSuite {
        InterruptedSteps() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ManyExpiredRecords extends ManyExpiredSuite {
        ManyExpiredRecords() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ReconcilersThatHang extends HangingReconcilerSuite {
        ReconcilersThatHang() {
            super(EngineContract.this);
        }
    }

    @Nested
    class MessagesThatNeedAPerson extends UnknownMessageSuite {
        MessagesThatNeedAPerson() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DecisionsAboutSteps extends StepDecisionSuite {
        DecisionsAboutSteps() {
            super(EngineContract.this);
        }
    }

    @Nested
    class StepsOfLeasedCalls extends StepSuite {
        StepsOfLeasedCalls() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ManyAtOnce extends BatchSuite {
        ManyAtOnce() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DecisionsInShadow extends ShadowSuite {
        DecisionsInShadow() {
            super(EngineContract.this);
        }
    }

    @Nested
    class RacesInShadow extends ShadowRaceSuite {
        RacesInShadow() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ModesOfGroups extends ModeGroupSuite {
        ModesOfGroups() {
            super(EngineContract.this);
        }
    }

    @Nested
    class OperatorActions extends OperatorSuite {
        OperatorActions() {
            super(EngineContract.this);
        }
    }

    @Nested
    class InTheCallersTransaction extends JoinedSuite {
        InTheCallersTransaction() {
            super(EngineContract.this);
        }
    }

    @Nested
    class RunsOutsideThisProcess extends ExternalRunSuite {
        RunsOutsideThisProcess() {
            super(EngineContract.this);
        }
    }

    @Nested
    class MessagesHandledOutsideThisProcess extends ExternalClaimSuite {
        MessagesHandledOutsideThisProcess() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LanesHandledOutsideThisProcess extends ExternalLaneSuite {
        LanesHandledOutsideThisProcess() {
            super(EngineContract.this);
        }
    }

    @Nested
    class PayloadsForCallersOutside extends ExternalPayloadSuite {
        PayloadsForCallersOutside() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LostRepliesOutsideThisProcess extends ExternalClaimFaultSuite {
        LostRepliesOutsideThisProcess() {
            super(EngineContract.this);
        }
    }

    @Nested
    class StepsOutsideThisProcess extends ExternalStepSuite {
        StepsOutsideThisProcess() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Exchanges extends ExchangeSuite {
        Exchanges() {
            super(EngineContract.this);
        }
    }

    @Nested
    class MessagesWithACommit extends OutboxSuite {
        MessagesWithACommit() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Channels extends ChannelSuite {
        Channels() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Handovers extends HandoverSuite {
        Handovers() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Poison extends PoisonSuite {
        Poison() {
            super(EngineContract.this);
        }
    }

    @Nested
    class PayloadsThatThrow extends ThrowingPayloadSuite {
        PayloadsThatThrow() {
            super(EngineContract.this);
        }
    }

    @Nested
    class PayloadsOfOlderVersions extends MigrationSuite {
        PayloadsOfOlderVersions() {
            super(EngineContract.this);
        }
    }

    @Nested
    class WaitingSuspects extends SuspectSuite {
        WaitingSuspects() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ModesOfAllNodes extends ModeSuite {
        ModesOfAllNodes() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LostClaims extends LostClaimSuite {
        LostClaims() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LostCommits extends LostCommitSuite {
        LostCommits() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Interrupts extends InterruptSuite {
        Interrupts() {
            super(EngineContract.this);
        }
    }

    @Nested
    class HandlerSql extends HandlerSqlSuite {
        HandlerSql() {
            super(EngineContract.this);
        }
    }

    @Nested
    class RecomputedDecisions extends DecisionSuite {
        RecomputedDecisions() {
            super(EngineContract.this);
        }
    }

    @Nested
    class RetriesOfMessages extends RetrySuite {
        RetriesOfMessages() {
            super(EngineContract.this);
        }
    }

    @Nested
    class RetriesWithoutAKey extends KeylessRetrySuite {
        RetriesWithoutAKey() {
            super(EngineContract.this);
        }
    }

    @Nested
    class GuardsOfCalls extends PipelineSuite {
        GuardsOfCalls() {
            super(EngineContract.this);
        }
    }

    @Nested
    class LimitsOfAllNodes extends RateLimitSuite {
        LimitsOfAllNodes() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Duplicates extends DuplicateSuite {
        Duplicates() {
            super(EngineContract.this);
        }
    }

    @Nested
    class ClassesOfWork extends SemanticsSuite {
        ClassesOfWork() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Lanes extends LaneSuite {
        Lanes() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DeliveryRounds extends DeliverySuite {
        DeliveryRounds() {
            super(EngineContract.this);
        }
    }

    @Nested
    class MissingDeliveries extends ResendSuite {
        MissingDeliveries() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Events extends EventSuite {
        Events() {
            super(EngineContract.this);
        }
    }

    @Nested
    class PoliciesWithoutDeadLetters extends NoDeadLettersSuite {
        PoliciesWithoutDeadLetters() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Statuses extends StatusSuite {
        Statuses() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Cancellations extends CancelSuite {
        Cancellations() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DeadLetters extends DeadLetterSuite {
        DeadLetters() {
            super(EngineContract.this);
        }
    }

    @Nested
    class Deaths extends OnDeadSuite {
        Deaths() {
            super(EngineContract.this);
        }
    }

    @Nested
    class DeathsThatAreInterrupted extends OnDeadFaultSuite {
        DeathsThatAreInterrupted() {
            super(EngineContract.this);
        }
    }
}

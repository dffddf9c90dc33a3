package dev.semel.testkit;

import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * Everything that the ports of {@code dev.semel.store} promise, as tests. The author of a store extends this class, says how
 * an empty store is opened, and has all of it:
 *
 * <pre>{@code
 * class MyStoreTest extends StoreContract {
 *     @Override
 *     protected Store open(TimeSource time) {
 *         return MyStore.open(freshPlace(), time);
 *     }
 * }
 * }</pre>
 *
 * <p>Nothing in it depends on timing: the store judges time by the clock it is given, and the suite moves that by hand. What
 * a store cannot do is reported as an aborted test, never left out silently.
 */
public abstract class StoreContract {
    /** An empty store that judges time by this clock. Called before each test; the suite closes it. */
    protected abstract Store open(TimeSource time);

    /**
     * Another handle on the place that was opened last in this test, as another node would have it. Absent when a store
     * lives and dies with its handle.
     */
    protected Optional<Store> reopen(TimeSource time) {
        return Optional.empty();
    }

    /** A plain connection to the place that was opened last in this test, for joined transactions. Absent without JDBC. */
    protected Optional<Connection> connect() throws SQLException {
        return Optional.empty();
    }

    /** Whether a transaction makes every other writer wait, as on an engine with a single writer. */
    protected boolean hasOneWriter() {
        return false;
    }

    /**
     * Makes the place that was opened last in this test refuse the word: as the payload or result of a record, and as the
     * correlation id of an audit event. As an operator's constraint does, or data that the engine cannot encode.
     *
     * @return false when the store refuses nothing that it can be given
     */
    protected boolean refuse(String word) throws SQLException {
        return false;
    }

    @Nested
    class RefusingData extends RefusedDataSuite {
        RefusingData() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Reserving extends ReserveSuite {
        Reserving() {
            super(StoreContract.this);
        }
    }

    @Nested
    class GrantingAgain extends RegrantSuite {
        GrantingAgain() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ReservingNeighboursAndSteps extends NeighbourAndStepSuite {
        ReservingNeighboursAndSteps() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Moving extends MoveSuite {
        Moving() {
            super(StoreContract.this);
        }
    }

    @Nested
    class MovingInBatches extends BatchedMoveSuite {
        MovingInBatches() {
            super(StoreContract.this);
        }
    }

    @Nested
    class RenewingAndFinding extends LookupSuite {
        RenewingAndFinding() {
            super(StoreContract.this);
        }
    }

    @Nested
    class KeepingTime extends ClockSuite {
        KeepingTime() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Purging extends PurgeSuite {
        Purging() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Auditing extends AuditSuite {
        Auditing() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Switching extends SwitchboardSuite {
        Switching() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Transacting extends TransactionSuite {
        Transacting() {
            super(StoreContract.this);
        }
    }

    @Nested
    class TransactingInParts extends TransactionPartsSuite {
        TransactingInParts() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ConnectionsOfHandlers extends HandlerConnectionSuite {
        ConnectionsOfHandlers() {
            super(StoreContract.this);
        }
    }

    @Nested
    class KeepingValues extends ValueSuite {
        KeepingValues() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Racing extends RaceSuite {
        Racing() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Queueing extends QueueSuite {
        Queueing() {
            super(StoreContract.this);
        }
    }

    @Nested
    class QueueingInTransactions extends QueueTransactionSuite {
        QueueingInTransactions() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Claiming extends ClaimSuite {
        Claiming() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ClaimingForOneTenant extends TenantClaimSuite {
        ClaimingForOneTenant() {
            super(StoreContract.this);
        }
    }

    @Nested
    class KeepingLanes extends LineSuite {
        KeepingLanes() {
            super(StoreContract.this);
        }
    }

    @Nested
    class MovingTogether extends AllOrNoneSuite {
        MovingTogether() {
            super(StoreContract.this);
        }
    }

    @Nested
    class MovingInLanes extends LineMoveSuite {
        MovingInLanes() {
            super(StoreContract.this);
        }
    }

    @Nested
    class MeetingLockedRecords extends LockedSuite {
        MeetingLockedRecords() {
            super(StoreContract.this);
        }
    }

    @Nested
    class FindingByCorrelation extends CorrelationSuite {
        FindingByCorrelation() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ClaimingLargePayloads extends LargePayloadSuite {
        ClaimingLargePayloads() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ListingCompletedMessages extends CompletedMessageSuite {
        ListingCompletedMessages() {
            super(StoreContract.this);
        }
    }

    @Nested
    class SharingPermits extends PermitSuite {
        SharingPermits() {
            super(StoreContract.this);
        }
    }

    @Nested
    class KeepingActivity extends ActivitySuite {
        KeepingActivity() {
            super(StoreContract.this);
        }
    }

    @Nested
    class SearchingForPeople extends SearchSuite {
        SearchingForPeople() {
            super(StoreContract.this);
        }
    }

    @Nested
    class CountingByOperation extends CensusSuite {
        CountingByOperation() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Pausing extends PauseSuite {
        Pausing() {
            super(StoreContract.this);
        }
    }
}

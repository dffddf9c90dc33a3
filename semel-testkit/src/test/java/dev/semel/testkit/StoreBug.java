package dev.semel.testkit;

/** A bug that a store may have, the part of the contract that must find it, and the test by which. */
enum StoreBug {
    NO_FENCE_CHECK(StoreContract.GrantingAgain.class, "a2_aHolderThatWasTakenOverIsRefusedEverything"),
    LEASE_OVER_TOO_LATE(StoreContract.GrantingAgain.class, "aLeaseIsOverAtItsLastMillisecondAndNotBefore"),
    TAKES_OVER_THE_UNREPEATABLE(
            StoreContract.GrantingAgain.class, "a4_aLeaseThatIsOverIsNotTakenOverIfTheWorkIsNotRepeatable"),
    TAKES_OVER_THE_UNREPEATABLE_OUTSIDE(
            StoreContract.GrantingAgain.class, "a4_aRunOutsideIsTakenOverOnlyIfItsOwnGrantIsRepeatable"),
    TAKES_OVER_WITHOUT_END(StoreContract.GrantingAgain.class, "a12_aLeaseThatIsOverIsNotTakenOverBeyondItsAttempts"),
    OWNER_FORGOTTEN(StoreContract.Reserving.class, "theSameOwnerIsGivenItsOwnGrantAgain"),
    DOUBLE_CLAIM(StoreContract.Racing.class, "a1_absentRecordReservedByManyAtOnceIsGrantedOnce"),
    MODES_IGNORED(StoreContract.Reserving.class, "nothingIsGrantedUnderAnOlderVersionOfTheModes"),
    PARENT_IGNORED(StoreContract.ReservingNeighboursAndSteps.class, "aStepStartsOnlyUnderTheGrantOfItsParent"),
    KEYS_FOLDED(
            StoreContract.KeepingValues.class,
            "a8_keysThatDifferInAnythingAreDifferentRecordsAndAreReadBackToTheLetter"),
    STATE_NOT_CHECKED(StoreContract.Moving.class, "moveFromOtherStatesIsRejected"),
    EVENT_LOST(StoreContract.Moving.class, "eventOfAMoveHasTheNewFenceAndAttempt"),
    TOGETHER_IN_PART(StoreContract.MovingTogether.class, "a18_oneRefusalAnywhereInTheBatchKeepsAllTheOthersBack"),
    RENEWAL_ALWAYS_GRANTED(StoreContract.RenewingAndFinding.class, "nothingElseIsExtended"),
    PURGE_OF_A_LIVE_RECORD(StoreContract.Purging.class, "a9_liveRecordIsNeverPurgedHoweverLongItIsOverdue"),
    SEAL_OUT_OF_SEQUENCE(StoreContract.Auditing.class, "aSealIsTakenOnlyIfItIsTheNext"),
    ADOPTION_WITHOUT_EPOCH(StoreContract.Switching.class, "adoptionRaisesTheEpochAndMakesRunningRecordsUnknown"),
    DUE_NEIGHBOUR_TAKEN_FOR_ABSENT(StoreContract.Transacting.class, "dueNeighbourIsFoundUnderAnyModes"),
    EARLIER_FINISH_WRITTEN_OVER(
            StoreContract.Transacting.class, "a15_finishThatAnEarlierTransactionCommittedAnswersSameInTheNextOne"),
    ACKNOWLEDGED_BEFORE_COMMIT(StoreContract.Transacting.class, "committedRecordHasItsEvent"),
    PART_NOT_UNDONE(StoreContract.TransactingInParts.class, "aPartThatIsNotKeptUndoesOnlyItself"),
    MESSAGE_NOT_STORED(StoreContract.Queueing.class, "aMessageIsKeptAsItCame"),
    CLAIM_UNDER_OLD_MODES(StoreContract.Claiming.class, "d9_nothingIsGrantedUnderAnotherVersionOfTheModes"),
    CLAIM_OF_THE_UNREPEATABLE(
            StoreContract.Claiming.class, "a4_aLeaseThatIsOverIsNotTakenOverIfTheWorkIsNotRepeatable"),
    HELD_BY_ANYBODY(StoreContract.Claiming.class, "c1_grantsOfAClaimAreFoundByItsTokenOnly"),
    LANE_HEAD_LOST(StoreContract.MovingInLanes.class, "whoLeavesMakesTheNextOneTheHeadInTheSameCommit");

    private final Class<?> suite;
    private final String test;

    StoreBug(Class<?> suite, String test) {
        this.suite = suite;
        this.test = test;
    }

    Class<?> suite() {
        return suite;
    }

    String test() {
        return test;
    }
}

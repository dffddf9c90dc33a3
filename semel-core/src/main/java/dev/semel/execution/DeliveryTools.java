package dev.semel.execution;

/** What a claimed record needs from its claim to its result. */
public final class DeliveryTools {
    private final CallPreparation preparation;
    private final SettlementTools settling;
    private final LeaseKeeper keeper;
    private final CurrentModes modes;

    /** @param modes bring the store's clock, by which deadlines are judged */
    DeliveryTools(CallPreparation preparation, SettlementTools settling, LeaseKeeper keeper, CurrentModes modes) {
        this.preparation = preparation;
        this.settling = settling;
        this.keeper = keeper;
        this.modes = modes;
    }

    CallPreparation preparation() {
        return preparation;
    }

    LeaseKeeper keeper() {
        return keeper;
    }

    CurrentModes modes() {
        return modes;
    }

    GroupedLedger ledger() {
        return settling.ledger();
    }

    AuditWriter audits() {
        return settling.audits();
    }

    AttemptJudge attempts() {
        return settling.attempts();
    }

    DeathTools deaths() {
        return settling.deaths();
    }

    CallWatch watch() {
        return settling.watch();
    }
}

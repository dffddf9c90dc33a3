package dev.semel.conformance;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One promise that is visible from outside.
 *
 * @param name stable, for machines
 * @param promise for people
 */
record Row(String name, String promise, Function<Probe, Outcome> check) {

    /** The result of one check. A result that is broken or not observed has a reason. */
    record Outcome(
            ConformanceReport.RowVerdict verdict, @Nullable String why) {
        static final Outcome HELD = new Outcome(ConformanceReport.RowVerdict.HELD, null);

        static Outcome broken(String why) {
            return new Outcome(ConformanceReport.RowVerdict.BROKEN, why);
        }

        static Outcome notObserved(String why) {
            return new Outcome(ConformanceReport.RowVerdict.NOT_OBSERVED, why);
        }

        static Outcome heldIf(boolean kept, String otherwise) {
            return kept ? HELD : broken(otherwise);
        }

        /** The same verdict with a remark for people. */
        Outcome noting(String remark) {
            return new Outcome(verdict, remark);
        }

        /** Continues with the next check if this one held. */
        Outcome then(java.util.function.Supplier<Outcome> next) {
            return verdict == ConformanceReport.RowVerdict.HELD ? next.get() : this;
        }
    }
}

package dev.semel.http.conformance;

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
    record Outcome(Report.Verdict verdict, @Nullable String why) {
        static final Outcome HELD = new Outcome(Report.Verdict.HELD, null);

        static Outcome broken(String why) {
            return new Outcome(Report.Verdict.BROKEN, why);
        }

        static Outcome notObserved(String why) {
            return new Outcome(Report.Verdict.NOT_OBSERVED, why);
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
            return verdict == Report.Verdict.HELD ? next.get() : this;
        }
    }
}

package dev.semel.demo;

import java.util.Locale;
import java.util.function.ToLongFunction;

/** The lines of the score, as the terminal and the console show them. */
enum ScoreLine {
    ASKED("sent to it, copies included", false, tally -> tally.traffic().asked()),
    DUPLICATES("of these, sent before", false, tally -> tally.traffic().duplicates()),
    DELIVERED(
            "different ones, booked by the bank",
            false,
            tally -> tally.outcome().delivered()),
    WAITING("acknowledged, and not booked yet", false, tally -> tally.outcome().waiting()),
    DOUBLED("booked more than once", true, tally -> tally.outcome().doubled()),
    LOST("acknowledged, and never booked", true, tally -> tally.outcome().lost());

    private final String meaning;
    private final boolean alarming;
    private final ToLongFunction<Tally> value;

    ScoreLine(String meaning, boolean alarming, ToLongFunction<Tally> value) {
        this.meaning = meaning;
        this.alarming = alarming;
        this.value = value;
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** In a few words. */
    String meaning() {
        return meaning;
    }

    /** Whether it should be zero. */
    boolean isAlarming() {
        return alarming;
    }

    ToLongFunction<Tally> value() {
        return value;
    }
}

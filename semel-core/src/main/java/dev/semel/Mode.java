package dev.semel;

/** Which calls may be granted: all, only without effect, or none. The stricter of two modes wins. */
public enum Mode {
    /** Work is granted and acts. */
    LIVE,
    /** Work is decided and recorded, and does not act. */
    SHADOW,
    /** Nothing is granted; everything is accepted and nothing is lost. */
    HALTED;

    /** The stricter of the two: HALTED over SHADOW over LIVE. */
    public Mode stricter(Mode other) {
        return compareTo(other) >= 0 ? this : other;
    }
}

package dev.semel;

/** What may be granted: everything, nothing that acts, or nothing. The stricter of two modes wins. */
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

package dev.semel.testkit.history;

/** The rules of every run. */
public enum Rule {
    /** No acknowledged record is missing. */
    R1("no acknowledged record is missing"),
    /** At most one effect of a record was applied; redeliveries are counted apart. */
    R2("at most one effect per record"),
    /** The fences of a record strictly grow. */
    R3("fences of a record strictly grow"),
    /** Nothing is accepted under a fence lower than one already seen. */
    R4("nothing accepted under an old fence"),
    /** Every replay equals the first result. */
    R5("every replay equals the first result"),
    /** A failed run left no effect. */
    R6("what failed left no effect"),
    /** Every accepted item ends. */
    R7("every accepted item ends"),
    /** Every change of outcome has one event, and the chain is unbroken. */
    R8("one audit event per change of outcome"),
    /** The history of each record is linearizable. */
    R9("each record is linearizable"),
    /** The effects of a lane come in its order. */
    R10("lanes keep their order");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}

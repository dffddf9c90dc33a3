package dev.semel.examples.desk.quotes;

import java.util.Locale;

/**
 * A quote as it is stored.
 *
 * @param version grows when its state is changed by a person
 */
public record Quote(String id, long version, State state, NewQuote content) {
    /** Where a quote stands. */
    public enum State {
        DRAFT,
        PRICED,
        IN_APPROVAL,
        APPROVED,
        REJECTED;

        String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** One line that a person can read. */
    public String line() {
        return id + " | " + content.customer() + " | " + content.quantity() + " x " + content.product()
                + (content.discount() == 0 ? "" : " | " + content.discount() + " % off") + " | " + state.words();
    }
}

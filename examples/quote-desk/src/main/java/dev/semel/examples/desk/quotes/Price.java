package dev.semel.examples.desk.quotes;

import dev.semel.Failure;
import java.util.Locale;
import java.util.Map;

/**
 * The price of one version of a quote, and what the policy says of it.
 *
 * @param rule why it needs an approval, or that it does not
 */
public record Price(String quote, long totalCents, boolean needsApproval, String rule) {
    private static final Map<String, Integer> LIST_CENTS = Map.of("team", 900, "pro", 1_900, "enterprise", 4_900);
    private static final int FREE_DISCOUNT = 15;
    private static final long FREE_TOTAL = 1_000_000;

    /** Deterministic: the same quote always has the same price. */
    static Price of(Quote quote) {
        NewQuote content = quote.content();
        long each = LIST_CENTS.get(content.product().toLowerCase(Locale.ROOT));
        long total = each * content.quantity() * (100 - content.discount()) / 100;
        if (content.discount() > FREE_DISCOUNT) {
            return new Price(quote.id(), total, true, "more than " + FREE_DISCOUNT + " % off");
        }
        return total > FREE_TOTAL
                ? new Price(quote.id(), total, true, "more than " + money(FREE_TOTAL))
                : new Price(quote.id(), total, false, "within the limits");
    }

    /** Refuses what has no price. */
    static void demandProduct(String product) {
        if (!LIST_CENTS.containsKey(product.toLowerCase(Locale.ROOT))) {
            throw Failure.of(
                            Failure.Category.VALIDATION,
                            "There is no product " + product + "; choose Team, Pro or Enterprise.")
                    .asException();
        }
    }

    /** Such as {@code 1,234.50 EUR}. */
    public static String money(long cents) {
        return String.format(Locale.ROOT, "%,d.%02d EUR", cents / 100, cents % 100);
    }
}

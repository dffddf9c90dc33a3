package dev.semel.demo;

import dev.semel.testkit.history.Event;
import java.nio.charset.StandardCharsets;

/**
 * One webhook of the shop: an order that a customer has paid. Whoever knows its place knows all of it, so that a sender which was killed
 * can send the same again.
 *
 * @param run tells the webhooks of two demos on one ledger apart
 * @param customer the lane: what a customer paid is booked in order
 * @param number counts within the lane, from 1
 */
record ShopEvent(String run, int customer, int number) {
    String id() {
        return run + "-" + customer + "-" + number;
    }

    String lane() {
        return "customer-" + customer;
    }

    Event.Place place() {
        return new Event.Place(lane(), number);
    }

    byte[] body() {
        String text = "{\"id\":\"" + id() + "\",\"type\":\"order.paid\",\"customer\":\"" + lane() + "\",\"number\":"
                + number + ",\"cents\":" + (100 + number * 37 % 9_900) + "}";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The webhook with an id.
     *
     * @throws IllegalArgumentException when it is none of a demo's
     */
    static ShopEvent of(String id) {
        String[] parts = id.split("-", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("Not a webhook of the demo: " + id);
        }
        return new ShopEvent(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }
}

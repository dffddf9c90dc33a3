package dev.semel.demo;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** How the bank behaves from request to request, and how often it behaved so. Thread-safe. */
final class BankFaults {
    private static final int ALL = 100;

    /** What the bank does with a request. */
    enum Behaviour {
        BOOKS(78),
        BOOKS_SLOWLY(4),
        ANSWERS_500(6),
        ANSWERS_429(3),
        /** Closes the connection without an answer, and has done nothing. */
        CUTS(4),
        /** Books it, and closes the connection without an answer. */
        BOOKS_AND_CUTS(5);

        private final int share;

        Behaviour(int share) {
            this.share = share;
        }
    }

    private final RandomGenerator random;
    private final Map<Behaviour, Long> counts = new EnumMap<>(Behaviour.class);
    private boolean calm;

    BankFaults(RandomGenerator random) {
        this.random = random;
    }

    synchronized Behaviour next() {
        Behaviour behaviour = calm ? Behaviour.BOOKS : drawn();
        counts.merge(behaviour, 1L, Long::sum);
        return behaviour;
    }

    private Behaviour drawn() {
        int left = random.nextInt(ALL);
        for (Behaviour behaviour : Behaviour.values()) {
            left -= behaviour.share;
            if (left < 0) {
                return behaviour;
            }
        }
        return Behaviour.BOOKS;
    }

    /** From now on it books and answers whatever comes. */
    synchronized void calmDown() {
        calm = true;
    }

    /** By the names of the behaviours. */
    synchronized Map<String, Long> counts() {
        Map<String, Long> named = new TreeMap<>();
        for (Behaviour behaviour : Behaviour.values()) {
            named.put(behaviour.name().toLowerCase(Locale.ROOT), counts.getOrDefault(behaviour, 0L));
        }
        return named;
    }
}

package dev.semel.jdbc.sqlite;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the writer and who waits for it.
 *
 * <p>A caller that runs out of stack or memory can call nothing and allocate nothing, but it can write a field. So a
 * caller that leaves, however it leaves, sets its ticket's {@code left}, and a writer whose holder has left can be
 * {@linkplain #takeOver taken over} by anybody: by the leaving caller itself if it still can, by the next who comes,
 * or by one who waits. Those who wait look up a few times a second, so that no wake-up is needed for anything but
 * speed.
 *
 * <p>The queue is guarded by a monitor, because the virtual machine itself gives that back; a lock that is an object
 * can be lost by a stack that ends inside its {@code lock()}. It is never held while anything blocks, so virtual
 * threads are not pinned.
 */
final class WriterHandover {
    private static final Duration LOOK_UP = Duration.ofMillis(200);

    /** A tenth of a millisecond or so: a little longer than most works. */
    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 2_000 : 0;

    /**
     * A caller's place. Waking a thread takes about as long as a piece of work, so the next caller is woken while the
     * one in front works, and spins for its turn.
     */
    static final class Ticket {
        private final Thread thread = Thread.currentThread();
        private final TimeSource.Gate near;
        private final TimeSource.Gate turn;
        private final boolean alone;
        private final String what;
        private volatile boolean given;
        private volatile long since;

        /** The holder's task, for the error message of callers who have waited too long. */
        volatile String phase = "about to begin";

        /** The caller has returned or thrown, and does nothing about the writer any more. */
        volatile boolean left;

        /** @param what the work is, for those who wait for it */
        Ticket(TimeSource waits, boolean alone, String what) {
            this.near = waits.gate();
            this.turn = waits.gate();
            this.alone = alone;
            this.what = what;
        }

        boolean alone() {
            return alone;
        }

        private void give() {
            given = true;
            turn.open();
            near.open();
        }
    }

    private final TimeSource waits;
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private volatile @Nullable Ticket current;
    private boolean closed;

    WriterHandover(TimeSource waits) {
        this.waits = waits;
    }

    boolean isTaken() {
        return current != null;
    }

    int queued() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    boolean isHeldBy(Thread thread) {
        Ticket holder = current;
        return holder != null && holder.thread == thread;
    }

    boolean isHeldBy(Ticket ticket) {
        return current == ticket;
    }

    /** Whether the holder is gone without having handed it on. */
    boolean isOrphaned() {
        Ticket holder = current;
        return holder != null && holder.left;
    }

    /** Lets the ticket in; false once closed. */
    boolean enter(Ticket ticket) {
        return enter(ticket, false);
    }

    /** The last to be let in. */
    boolean enterLast(Ticket ticket) {
        return enter(ticket, true);
    }

    private boolean enter(Ticket ticket, boolean last) {
        synchronized (waiting) {
            if (closed) {
                return false;
            }
            closed = last;
            if (current == null) {
                current = ticket;
                ticket.given = true;
            } else {
                waiting.add(ticket);
            }
            return true;
        }
    }

    /** Waits a little for the turn; says whether it has come. */
    boolean await(Ticket ticket) throws InterruptedException {
        if (!ticket.given) {
            boolean close = ticket.near.await(LOOK_UP);
            for (int i = 0; close && i < SPINS && !ticket.given; i++) {
                Thread.onSpinWait();
            }
            if (close && !ticket.given) {
                ticket.turn.await(LOOK_UP);
            }
        }
        if (current == ticket) {
            ticket.since = waits.nanos();
            return true;
        }
        return false;
    }

    /** Calls the next one ahead of its turn. */
    void callNext() {
        Ticket next;
        synchronized (waiting) {
            next = waiting.peek();
        }
        if (next != null) {
            next.near.open();
        }
    }

    /** Takes a waiter out; false when it has got the writer already. */
    boolean leave(Ticket ticket) {
        synchronized (waiting) {
            return waiting.remove(ticket) && current != ticket;
        }
    }

    /** Gives the writer to the next who waits, or sets it free. */
    void pass(Ticket from) {
        passIf(from, true, next -> true);
    }

    /** Gives the writer to the next who waits, if there is one and it will do; says whether it has. */
    boolean passIf(Ticket from, Predicate<Ticket> willDo) {
        return passIf(from, false, willDo);
    }

    private boolean passIf(Ticket from, boolean orFree, Predicate<Ticket> willDo) {
        Ticket next;
        synchronized (waiting) {
            if (current != from) {
                return false;
            }
            next = firstThatStayed();
            if (next != null && !willDo.test(next)) {
                return false;
            }
            if (next != null || orFree) {
                // First the field, which cannot fail; a ticket that stays in the queue has left when its turn comes
                // again.
                current = next;
                waiting.poll();
            }
        }
        if (next != null) {
            next.give();
        }
        return next != null;
    }

    private @Nullable Ticket firstThatStayed() {
        Ticket next = waiting.peek();
        while (next != null && next.left) {
            waiting.poll();
            next = waiting.peek();
        }
        return next;
    }

    /** Makes the ticket the holder in place of one that has left; false when nobody has. */
    boolean takeOver(Ticket ticket) {
        synchronized (waiting) {
            if (!isOrphaned()) {
                return false;
            }
            ticket.since = waits.nanos();
            current = ticket;
            return true;
        }
    }

    /** The holder, since when, and its task. */
    String holder() {
        Ticket holder = current;
        if (holder == null) {
            return "it is free now";
        }
        long seconds = Duration.ofNanos(waits.nanos() - holder.since).toSeconds();
        StackTraceElement[] stack = holder.thread.getStackTrace();
        return "it has been held for " + seconds + " s by thread \"" + holder.thread.getName() + "\" for " + holder.what
                + ", which is " + holder.phase + (stack.length == 0 ? "" : " (at " + stack[0] + ")");
    }
}

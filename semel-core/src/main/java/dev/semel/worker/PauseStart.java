package dev.semel.worker;

/**
 * From when the pause between two calls of the store counts: from the end of the first, so that a store that is slower than the pause is
 * not asked without one. But after the first call that took longer than the pause it counts from that call's beginning, and so is over: a
 * clock that a test moved during the call, and that stands still from then on, is noticed by the next call. Used by one thread.
 */
final class PauseStart {
    private boolean slowBefore;

    /**
     * @param pause in nanoseconds
     * @return when the pause begins
     */
    long of(long began, long ended, long pause) {
        boolean slow = ended - began >= pause;
        boolean first = slow && !slowBefore;
        slowBefore = slow;
        return first ? began : ended;
    }
}

package dev.semel.jdbc.fault;

import java.nio.file.Path;

/** A process that asks for the next key each time it is given a byte, and says with one when it is ready for it. */
public final class Racer {
    private Racer() {}

    public static void main(String[] arguments) throws Exception {
        Place place = new Place(arguments[0], arguments[1], arguments[2]);
        try (Node node = new Node(place, Path.of(arguments[3]), arguments[4], Flaw.valueOf(arguments[5]))) {
            for (int round = 0; ; round++) {
                System.out.write(1);
                System.out.flush();
                if (System.in.read() < 0) {
                    return;
                }
                node.ask(Work.values()[round % Work.values().length], "r" + round);
            }
        }
    }
}

package dev.semel.jdbc.fault;

import java.nio.file.Path;

/** A process that asks for the next key each time it is given a byte, and says with one when it is ready for it. */
public final class RaceProcess {
    private RaceProcess() {}

    public static void main(String[] arguments) throws Exception {
        RunDatabases place = new RunDatabases(arguments[0], arguments[1], arguments[2]);
        try (InProcessService node =
                new InProcessService(place, Path.of(arguments[3]), arguments[4], ServiceBug.valueOf(arguments[5]))) {
            for (int round = 0; ; round++) {
                System.out.write(1);
                System.out.flush();
                if (System.in.read() < 0) {
                    return;
                }
                node.ask(WorkKind.values()[round % WorkKind.values().length], "r" + round);
            }
        }
    }
}

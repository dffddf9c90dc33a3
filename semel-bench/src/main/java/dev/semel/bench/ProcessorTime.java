package dev.semel.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The processor time of this process, which sends the requests, of the server and of its database. */
record ProcessorTime(Duration generator, Duration server, Duration database) {
    static final ProcessorTime NONE = new ProcessorTime(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** @param database the data directory of PostgreSQL; another directory for a server that has no database process */
    static ProcessorTime now(HttpServer server, Path database) {
        return new ProcessorTime(
                used(ProcessHandle.current()),
                used(server.process()),
                family(database).map(ProcessorTime::used).reduce(Duration.ZERO, Duration::plus));
    }

    private static Duration used(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** The server's processes, those of its connections among them. */
    private static Stream<ProcessHandle> family(Path database) {
        try {
            long pid = Long.parseLong(
                    Files.readAllLines(database.resolve("postmaster.pid")).get(0));
            return ProcessHandle.of(pid).stream().flatMap(main -> Stream.concat(Stream.of(main), main.descendants()));
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    ProcessorTime since(ProcessorTime before) {
        return new ProcessorTime(
                generator.minus(before.generator), server.minus(before.server), database.minus(before.database));
    }

    ProcessorTime plus(ProcessorTime other) {
        return new ProcessorTime(
                generator.plus(other.generator), server.plus(other.server), database.plus(other.database));
    }

    /** By whom the processors were used in the timed rounds of each cell. */
    static Map<String, Object> table(List<Timing> timings) {
        Map<String, Object> each = new LinkedHashMap<>();
        timings.forEach(timing -> each.put(timing.cell().name(), timing.used().each(timing.operations())));
        each.put(
                "load_generator_share",
                timings.stream()
                        .map(Timing::used)
                        .reduce(NONE, ProcessorTime::plus)
                        .generatorShare());
        return each;
    }

    /** Which part of the whole the load generator is. */
    private double generatorShare() {
        long all = generator.plus(server).plus(database).toNanos();
        return Report.rounded(generator.toNanos() / (double) Math.max(1, all), 3);
    }

    /** Microseconds for each of so many requests. */
    Map<String, Double> each(long requests) {
        Map<String, Double> each = new LinkedHashMap<>();
        each.put("load_generator", micros(generator, requests));
        each.put("server", micros(server, requests));
        each.put("database", micros(database, requests));
        return each;
    }

    private static double micros(Duration time, long requests) {
        return Report.rounded(time.toNanos() / 1e3 / Math.max(1, requests), 1);
    }
}

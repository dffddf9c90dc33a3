package dev.semel.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Where it was measured. Durable figures mean nothing without the disk's. */
final class Machine {
    private static final int PAGE = 4_096;

    private Machine() {}

    static Map<String, Object> describe(Path directory, Duration patience) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("memory_mb", system.getTotalMemorySize() >> 20);
        machine.put("heap_mb", Runtime.getRuntime().maxMemory() >> 20);
        machine.put("load_at_start", Report.rounded(system.getSystemLoadAverage(), 2));
        machine.put("os", system.getName() + " " + system.getVersion() + " " + system.getArch());
        machine.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        try {
            machine.putAll(disk(directory, patience));
        } catch (IOException e) {
            machine.put("fdatasync", "not measured: " + e);
        }
        return machine;
    }

    /** Appends of 4 KB, each synced: the least cost of a commit. */
    private static Map<String, Object> disk(Path directory, Duration patience) throws IOException {
        Path file = Files.createTempFile(directory, "fdatasync", ".bin");
        Histogram latencies = Timing.latencies();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long began = System.nanoTime();
            long now = began;
            while (now - began < patience.toNanos()) {
                channel.write(ByteBuffer.allocate(PAGE));
                channel.force(false);
                long after = System.nanoTime();
                latencies.recordValue(Math.min(after - now, latencies.getHighestTrackableValue()));
                now = after;
            }
            double perSecond = latencies.getTotalCount() * 1e9 / Math.max(1, now - began);
            return Map.of(
                    "fdatasync_4k_per_s", Report.rounded(perSecond, 0),
                    "fdatasync_4k_p50_us", Report.rounded(latencies.getValueAtPercentile(50) / 1e3, 1),
                    "fdatasync_4k_p99_us", Report.rounded(latencies.getValueAtPercentile(99) / 1e3, 1));
        } finally {
            Files.delete(file);
        }
    }
}

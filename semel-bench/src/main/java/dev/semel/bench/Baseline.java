package dev.semel.bench;

import dev.semel.SemelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The ratios of an earlier run. Only ratios are compared, because the machine or its load was different. */
public final class Baseline {
    private static final double LARGEST_LOSS = 0.10;

    private record ResultId(String name, int callers, String of) {}

    /** A ratio that fell by more than a tenth. */
    public record Loss(String name, int callers, String of, double before, double now) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s, %d callers: %.3f of %s, %.3f before (%.0f %%)",
                    name,
                    callers,
                    now,
                    of,
                    before,
                    (now / before - 1) * 100);
        }
    }

    private final Path file;
    private final Map<ResultId, Double> ratios = new LinkedHashMap<>();

    private Baseline(Path file) {
        this.file = file;
    }

    /** @throws SemelException.Invalid when the file is not a bench's JSON */
    public static Baseline read(Path file) {
        Baseline baseline = new Baseline(file);
        try {
            for (JsonNode result :
                    JsonMapper.shared().readTree(Files.readString(file)).path("results")) {
                if (result.path("ratio").isNumber()) {
                    baseline.ratios.put(
                            new ResultId(
                                    result.path("name").asString(),
                                    result.path("callers").asInt(),
                                    result.path("of").asString()),
                            result.path("ratio").asDouble());
                }
            }
        } catch (IOException | JacksonException e) {
            throw new SemelException.Invalid("The baseline " + file + " cannot be read: " + e, e);
        }
        if (baseline.ratios.isEmpty()) {
            throw new SemelException.Invalid(
                    "The baseline " + file + " holds no ratios. Give a file that a bench wrote with --json.");
        }
        return baseline;
    }

    /**
     * The ratios that fell by more than a tenth.
     *
     * @throws SemelException.Invalid when the two runs have no ratio in common
     */
    public List<Loss> losses(Report report) {
        List<Loss> losses = new ArrayList<>();
        int compared = 0;
        for (Report.Result result : report.results()) {
            if (result.ratio() != null && result.of() != null) {
                Double before = ratios.get(new ResultId(result.name(), result.callers(), result.of()));
                if (before != null) {
                    compared++;
                    if (result.ratio() < before * (1 - LARGEST_LOSS)) {
                        losses.add(new Loss(result.name(), result.callers(), result.of(), before, result.ratio()));
                    }
                }
            }
        }
        if (compared == 0) {
            throw new SemelException.Invalid(
                    "The baseline " + file + " has no ratio in common with this run: it is of another bench or store.");
        }
        return losses;
    }
}

package dev.semel.demo;

import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.admin.ProgramFigure.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The score as figures of the console's overview. */
final class PageFigures {
    private PageFigures() {}

    static List<ProgramFigure> of(Score score) {
        List<ProgramFigure> figures = new ArrayList<>();
        for (ScoreLine line : ScoreLine.values()) {
            figures.add(figure(score, line));
        }
        return figures;
    }

    private static ProgramFigure figure(Score score, ScoreLine line) {
        ToLongFunction<Tally> value = line.value();
        Tally other = score.handwritten();
        String note = other == null ? line.meaning() : "by hand: " + figure(value.applyAsLong(other));
        boolean bad = line.isAlarming() && value.applyAsLong(score.semel()) > 0;
        return new ProgramFigure(
                capitalised(line.title()), figure(value.applyAsLong(score.semel())), note, bad ? Tone.BAD : Tone.PLAIN);
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    private static String figure(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}

package dev.semel.server.console;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pictures of pages with 256 of their colours: a third of the size, and to the eye the same. */
final class FewColours {
    private static final int MOST = 256;
    private static final int ALIKE = 40;

    private final List<Integer> palette;
    private final Map<Integer, Integer> nearest = new HashMap<>();

    private FewColours(List<Integer> palette) {
        this.palette = palette;
    }

    static BufferedImage of(BufferedImage picture) {
        Map<Integer, Integer> frequencies = new HashMap<>();
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                frequencies.merge(picture.getRGB(x, y) & 0xffffff, 1, Integer::sum);
            }
        }
        return new FewColours(palette(frequencies)).redraw(picture);
    }

    /** The most frequent first, without those that differ little from one before: so rare and bright ones find their place. */
    private static List<Integer> palette(Map<Integer, Integer> frequencies) {
        List<Integer> chosen = new ArrayList<>();
        frequencies.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .filter(colour ->
                        chosen.size() < MOST && chosen.stream().allMatch(other -> distance(other, colour) > ALIKE))
                .forEach(chosen::add);
        return chosen;
    }

    private BufferedImage redraw(BufferedImage picture) {
        int[] colours = palette.stream().mapToInt(Integer::intValue).toArray();
        IndexColorModel model = new IndexColorModel(8, colours.length, colours, 0, false, -1, 0);
        BufferedImage redrawn =
                new BufferedImage(picture.getWidth(), picture.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                redrawn.getRaster()
                        .setSample(x, y, 0, nearest.computeIfAbsent(picture.getRGB(x, y) & 0xffffff, this::find));
            }
        }
        return redrawn;
    }

    private int find(int colour) {
        int best = 0;
        for (int i = 1; i < palette.size(); i++) {
            if (distance(palette.get(i), colour) < distance(palette.get(best), colour)) {
                best = i;
            }
        }
        return best;
    }

    private static int distance(int one, int other) {
        int sum = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            int difference = (one >> shift & 0xff) - (other >> shift & 0xff);
            sum += difference * difference;
        }
        return sum;
    }
}

package dev.semel.tidy;

import dev.semel.tidy.JavaShape.Type;
import dev.semel.tidy.SourceTree.Text;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Prints how large and how open the main sources are: lines and types of each module, the share of top-level types that are
 * package-private, names that are declared more than once, and methods of exported packages without Javadoc. Run it by {@code
 * .ci/measures}, optionally with the directory of another checkout.
 */
final class Measures {
    private static final String ROW = "| %s | %,d | %,d | %,d | %,d | %d %% | %d |%n";

    private Measures() {}

    public static void main(String[] arguments) {
        System.out.print(of(arguments.length == 0 ? SourceTree.here() : SourceTree.read(Path.of(arguments[0]))));
    }

    static String of(SourceTree tree) {
        Map<Text, JavaShape> shapes = JavaShape.all(tree).entrySet().stream()
                .filter(shape ->
                        shape.getKey().isMain() && !shape.getKey().name().equals("package-info.java"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        Map<String, List<Text>> modules = shapes.keySet().stream()
                .collect(Collectors.groupingBy(Text::module, TreeMap::new, Collectors.toList()));
        Map<String, Map<String, List<String>>> repeated = RepeatedNames.of(tree);
        StringBuilder out = new StringBuilder("| module | files | lines | types | top-level types | package-private |")
                .append(" names declared more than once |\n|---|---|---|---|---|---|---|\n");
        modules.forEach((module, files) -> out.append(row(
                module, files, shapes, repeated.getOrDefault(module, Map.of()).size())));
        int names = repeated.values().stream().mapToInt(Map::size).sum();
        out.append(row("all", List.copyOf(shapes.keySet()), shapes, names));
        repeated.forEach((module, byName) -> {
            if (!byName.isEmpty()) {
                out.append("\nDeclared more than once in ").append(module).append(": ");
                out.append(String.join(", ", byName.keySet())).append('\n');
            }
        });
        List<String> unexplained = Habit.EXPORTED_METHODS_ARE_EXPLAINED.faults(tree);
        out.append("\nPublic methods of exported packages without Javadoc: ").append(unexplained.size());
        unexplained.forEach(fault -> out.append("\n- ").append(fault));
        return out.append('\n').toString();
    }

    private static String row(String module, List<Text> files, Map<Text, JavaShape> shapes, int repeated) {
        List<Type> types = files.stream()
                .flatMap(file -> shapes.get(file).types().stream())
                .filter(type -> !type.name().isEmpty())
                .toList();
        List<Type> topLevel = types.stream().filter(type -> !type.nested()).toList();
        long hidden = topLevel.stream().filter(type -> !type.isPublic()).count();
        return String.format(
                Locale.ROOT,
                ROW,
                module,
                files.size(),
                files.stream().mapToInt(file -> file.lines().size()).sum(),
                types.size(),
                topLevel.size(),
                topLevel.isEmpty() ? 0 : Math.round(100.0 * hidden / topLevel.size()),
                repeated);
    }
}

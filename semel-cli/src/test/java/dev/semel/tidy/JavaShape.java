package dev.semel.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The types and methods of a Java file, as the compiler's own parser sees them. */
record JavaShape(List<Type> types, List<Method> methods) {
    /** @param name empty for an anonymous class */
    record Type(String name, int line, boolean nested, boolean isPublic) {}

    /**
     * A method, a constructor, or the components of a record.
     *
     * @param shown whether it is a method that other packages see and that overrides nothing
     */
    record Method(String name, int line, int lines, int parameters, boolean constructs, boolean shown) {}

    /** The shapes of all Java files of the tree. */
    static Map<SourceTree.Text, JavaShape> all(SourceTree tree) {
        Map<URI, Source> sources = tree.where(SourceTree.Text::isJava)
                .map(Source::new)
                .collect(Collectors.toMap(Source::toUri, Function.identity()));
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, diagnostic -> {}, List.of("-proc:none"), null, sources.values());
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        Map<SourceTree.Text, JavaShape> shapes = new HashMap<>();
        try {
            for (CompilationUnitTree unit : task.parse()) {
                Shaper shaper = new Shaper(unit, positions);
                shaper.scan(unit, null);
                shapes.put(sources.get(unit.getSourceFile().toUri()).file, new JavaShape(shaper.types, shaper.methods));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The Java files below " + tree.root() + " cannot be parsed.", e);
        }
        return shapes;
    }

    private static final class Shaper extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<Type> types = new ArrayList<>();
        private final List<Method> methods = new ArrayList<>();
        private String type = "";
        private int depth;
        private boolean shown = true;
        private boolean inInterface;

        private Shaper(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            String outer = type;
            boolean outerShown = shown;
            boolean outerInterface = inInterface;
            type = tree.getSimpleName().toString();
            boolean isPublic = isPublic(tree.getModifiers());
            shown &= isPublic;
            inInterface = tree.getKind() == Tree.Kind.INTERFACE;
            types.add(new Type(type, start(tree), depth > 0, isPublic));
            if (tree.getKind() == Tree.Kind.RECORD) {
                methods.add(new Method(type, start(tree), 1, components(tree), true, false));
            }
            depth++;
            super.visitClass(tree, nothing);
            depth--;
            type = outer;
            shown = outerShown;
            inInterface = outerInterface;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            boolean constructs = tree.getName().contentEquals("<init>");
            String name = constructs ? type : type + "." + tree.getName();
            int lines = end(tree) - start(tree) + 1;
            boolean seen = shown && !constructs && isPublic(tree.getModifiers()) && !overrides(tree);
            methods.add(
                    new Method(name, start(tree), lines, tree.getParameters().size(), constructs, seen));
            return super.visitMethod(tree, nothing);
        }

        private boolean isPublic(ModifiersTree modifiers) {
            return modifiers.getFlags().contains(Modifier.PUBLIC)
                    || inInterface && !modifiers.getFlags().contains(Modifier.PRIVATE);
        }

        private static boolean overrides(MethodTree tree) {
            return tree.getModifiers().getAnnotations().stream()
                    .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
        }

        /** A record has no other fields of its instances. */
        private static int components(ClassTree tree) {
            return (int) tree.getMembers().stream()
                    .filter(member -> member instanceof VariableTree field
                            && !field.getModifiers().getFlags().contains(Modifier.STATIC))
                    .count();
        }

        private int start(Tree tree) {
            return (int) unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
        }

        private int end(Tree tree) {
            return (int) unit.getLineMap().getLineNumber(positions.getEndPosition(unit, tree));
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final SourceTree.Text file;

        private Source(SourceTree.Text file) {
            super(URI.create("string:///" + file.path()), JavaFileObject.Kind.SOURCE);
            this.file = file;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return file.content();
        }
    }
}

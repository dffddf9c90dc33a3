package dev.semel.readme;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** A POM, and what its dependencies are on the class path of this test. */
record PagePom(Element project) {
    private static final String OURS = "dev.semel";

    /**
     * @param version absent when a BOM has it
     * @param scope compile when the POM has none
     */
    record Dependency(String group, String artifact, Optional<String> version, String scope, boolean optional) {}

    static PagePom of(String xml) throws Exception {
        return new PagePom(DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml)))
                .getDocumentElement());
    }

    static PagePom at(Path file) throws Exception {
        return of(Files.readString(file));
    }

    String version() {
        return child(project, "version").map(Node::getTextContent).orElseThrow();
    }

    /** The properties by name. */
    Map<String, String> properties() {
        Map<String, String> all = new LinkedHashMap<>();
        child(project, "properties").stream()
                .flatMap(PagePom::children)
                .forEach(each -> all.put(each.getTagName(), each.getTextContent()));
        return all;
    }

    List<Dependency> dependencies() {
        return dependencies(project);
    }

    List<Dependency> managed() {
        return dependencies(child(project, "dependencyManagement").orElseThrow());
    }

    /** What the compiler finds for a project with this POM: its dependencies, and what Semel's own modules bring. */
    List<Path> compilePath() throws Exception {
        Map<String, Path> found = new LinkedHashMap<>();
        collect(dependencies(), found);
        return List.copyOf(found.values());
    }

    private static void collect(List<Dependency> dependencies, Map<String, Path> found) throws Exception {
        for (Dependency each : dependencies) {
            if (each.scope.equals("compile") && !each.optional && !found.containsKey(each.artifact)) {
                found.put(each.artifact, onClassPath(each));
                if (each.group.equals(OURS)) {
                    collect(
                            at(PageFiles.repository().resolve(each.artifact).resolve("pom.xml"))
                                    .dependencies(),
                            found);
                }
            }
        }
    }

    /** A module of this build is a directory of classes or a jar, depending on the phase in which the test runs. */
    private static Path onClassPath(Dependency dependency) throws IOException {
        String jar = dependency.artifact + "-" + dependency.version.orElse("");
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            boolean module =
                    dependency.group.equals(OURS) && path.endsWith(Path.of(dependency.artifact, "target", "classes"));
            String name = path.getFileName().toString();
            if (module || name.startsWith(jar) && name.substring(jar.length()).matches("-?[0-9A-Z.-]*\\.jar")) {
                return path;
            }
        }
        throw new AssertionError("The page names " + dependency + ", which this build does not use.");
    }

    private static List<Dependency> dependencies(Element parent) {
        List<Dependency> all = new ArrayList<>();
        child(parent, "dependencies").stream()
                .flatMap(PagePom::children)
                .forEach(each -> all.add(new Dependency(
                        text(each, "groupId").orElseThrow(),
                        text(each, "artifactId").orElseThrow(),
                        text(each, "version"),
                        text(each, "scope").orElse("compile"),
                        text(each, "optional").isPresent())));
        return all;
    }

    private static Optional<String> text(Element parent, String name) {
        return child(parent, name).map(Node::getTextContent);
    }

    private static Optional<Element> child(Element parent, String name) {
        return children(parent).filter(each -> each.getTagName().equals(name)).findFirst();
    }

    private static Stream<Element> children(Element parent) {
        return Stream.iterate(parent.getFirstChild(), each -> each != null, Node::getNextSibling)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }
}

package dev.semel.cli;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a small checkout, with a fake Maven and a fake Java that print their arguments. */
class LauncherTest {
    private static final Path LAUNCHER = Path.of("..", "semel");

    @TempDir
    private Path temp;

    private Path root;
    private Path tools;

    @BeforeEach
    void plant() throws IOException {
        root = Files.createDirectories(temp.resolve("a checkout"));
        tools = Files.createDirectories(temp.resolve("tools"));
        Files.copy(LAUNCHER, root.resolve("semel"));
        executable(root.resolve("semel"));
        for (String module : List.of("semel-core", "semel-cli")) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
            Files.writeString(root.resolve(module).resolve("pom.xml"), "<project/>");
            Files.writeString(root.resolve(module).resolve("src/main/java/A.java"), "class A {}");
        }
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        java("17.0.15");
        tool(
                "mvn",
                "echo built >> '" + temp.resolve("builds") + "'",
                "mkdir -p semel-cli/target semel-demo/target semel-bench/target semel-bench-peers/target semel-bench-servers/target",
                "case \"$*\" in *'-pl examples/'*) for each in examples/*; do",
                "  mkdir -p \"$each/target\"; echo > \"$each/target/${each#examples/}.jar\"",
                "done;; esac",
                "echo > semel-cli/target/semel.jar",
                "case \"$*\" in *'-pl semel-bench '*) echo > semel-bench/target/bench.jar;; esac",
                "case \"$*\" in *'-pl semel-demo '*) echo > semel-demo/target/demo.jar;; esac",
                "echo > semel-bench-peers/target/peers.jar",
                "echo > semel-bench-servers/target/servers-exec.jar");
    }

    @Test
    void launcherHasNoSyntaxErrors() throws Exception {
        assertThat(run(temp, "sh", "-n", root.resolve("semel").toString()).exit())
                .isZero();
    }

    @Test
    void firstUseBuildsAndTheNextDoesNot() throws Exception {
        Shell first = semel("doctor");
        assertThat(first.exit()).isEqualTo(42);
        assertThat(first.err().lines())
                .containsExactly("semel: building the command line (first use, or the sources have changed) ...");
        Shell second = semel("doctor");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void changedSourcesAreRebuiltAndEarlierJarsAreReused() throws Exception {
        semel("doctor");
        Path source = root.resolve("semel-core/src/main/java/A.java");
        Files.writeString(source, "class B {}");
        semel("doctor");
        assertThat(builds()).isEqualTo(2);
        Files.writeString(source, "class A {}");
        semel("doctor");
        assertThat(builds()).isEqualTo(2);
        Files.delete(source);
        semel("doctor");
        assertThat(builds()).isEqualTo(3);
    }

    @Test
    void benchmarksAreOnTheClassPathOfTheBenchCommandOnly() throws Exception {
        assertThat(classPath(semel("doctor"))).singleElement(as(STRING)).contains("semel-");
        Shell first = semel("bench", "ledger");
        assertThat(first.err().lines()).containsExactly("semel: building the command bench ...");
        assertThat(classPath(first))
                .hasSize(2)
                .allSatisfy(jar -> assertThat(Path.of(jar)).isRegularFile());
        assertThat(classPath(first).get(1)).contains("bench-");
        assertThat(builds()).isEqualTo(2);
        semel("bench", "ledger");
        assertThat(classPath(semel("doctor"))).hasSize(1);
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void demoIsOnTheClassPathOfTheDemoCommandOnly() throws Exception {
        Shell demo = semel("demo");
        assertThat(classPath(demo)).hasSize(2);
        assertThat(classPath(demo).get(1)).contains("demo-");
        assertThat(Path.of(classPath(demo).get(1))).isRegularFile();
        assertThat(classPath(semel("doctor"))).hasSize(1);
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void ingressBenchMeasuresTheServerOfTheCommandLineAndBuildsNoOther() throws Exception {
        Shell shell = semel("bench", "ingress", "--quick");
        assertThat(shell.exit()).isEqualTo(42);
        assertThat(classPath(shell)).hasSize(2);
        assertThat(shell.out()).contains("[-Dsemel.servers=]", "[-Dsemel.peers=]");
        assertThat(builds()).isEqualTo(1);
    }

    private static List<String> classPath(Shell shell) {
        List<String> told = shell.out().lines().toList();
        String path = told.get(told.indexOf("[-cp]") + 1);
        return List.of(path.substring(1, path.length() - 1).split(":"));
    }

    @Test
    void peerLibrariesAreFetchedOnceAndOnlyForTheChannelBench() throws Exception {
        semel("bench", "ledger");
        assertThat(builds()).isEqualTo(1);
        Shell first = semel("bench", "channel");
        assertThat(first.exit()).isEqualTo(42);
        assertThat(first.err()).contains("semel: downloading the libraries that 'bench channel' compares with");
        assertThat(builds()).isEqualTo(2);
        Shell second = semel("bench", "channel", "--json");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(2);
        assertThat(fileIn(second, "[-Dsemel.peers=")).isRegularFile();
    }

    /** The file that the property names. */
    private static Path fileIn(Shell shell, String property) {
        String line = shell.out()
                .lines()
                .filter(each -> each.startsWith(property))
                .findFirst()
                .orElseThrow();
        return Path.of(line.substring(property.length(), line.length() - 1));
    }

    @Test
    void serversAreBuiltOnceAndAgainWhenTheExampleHasChanged() throws Exception {
        Path example = Files.createDirectories(root.resolve("examples/planner/src/main"));
        Files.writeString(root.resolve("examples/planner/pom.xml"), "<project/>");
        Files.writeString(example.resolve("A.java"), "class A {}");
        Shell first = semel("bench", "http");
        assertThat(first.err()).contains("semel: building the servers that 'bench http' measures");
        assertThat(builds()).isEqualTo(2);
        Shell second = semel("bench", "http", "--json");
        assertThat(second.err()).isEmpty();
        assertThat(fileIn(second, "[-Dsemel.servers=")).isRegularFile();
        Files.writeString(example.resolve("A.java"), "class B {}");
        semel("bench", "http");
        assertThat(builds()).isEqualTo(3);
    }

    @Test
    void exampleIsBuiltOnceAndAgainWhenItHasChanged() throws Exception {
        Path source = example("helpdesk", "<project><mainClass>a.B</mainClass></project>");
        example("quote-desk", "<project><mainClass>a.C</mainClass></project>");
        Path common = example("common", "<project/>");
        Shell first = semel("example", "helpdesk");
        assertThat(first.err()).contains("semel: building the example helpdesk");
        assertThat(first.out()).contains("[-jar]").containsPattern("example-helpdesk-[0-9-]+\\.jar]");
        assertThat(semel("example", "helpdesk").err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
        for (Path changed : List.of(source, common)) {
            Files.writeString(changed, "class B {}");
            assertThat(semel("example", "helpdesk").err()).contains("semel: building the example helpdesk");
        }
        assertThat(builds()).isEqualTo(3);
        assertThat(semel("example", "quote-desk").err()).contains("semel: building the example quote-desk");
    }

    private Path example(String name, String pom) throws IOException {
        Path source = root.resolve("examples").resolve(name).resolve("src/main/A.java");
        Files.createDirectories(source.getParent());
        Files.writeString(root.resolve("examples").resolve(name).resolve("pom.xml"), pom);
        return Files.writeString(source, "class A {}");
    }

    @Test
    void unknownExampleIsRejectedWithTheNamesOfThoseThatRun() throws Exception {
        example("helpdesk", "<project><mainClass>a.B</mainClass></project>");
        example("planner", "<project/>");
        example("quote-desk", "<project><mainClass>a.C</mainClass></project>");
        for (String name : List.of("none", "planner", "", "../examples/helpdesk", "common")) {
            Shell shell = semel("example", name);
            assertThat(shell.exit()).isEqualTo(2);
            assertThat(shell.err())
                    .isEqualTo("semel: unknown example '" + name + "'. There are: helpdesk, quote-desk.\n");
        }
        assertThat(builds()).isZero();
    }

    @Test
    void serverStartsFromAnArchiveThatIsMadeOnce() throws Exception {
        tool(
                "java",
                "case \"$*\" in",
                "*-version*) echo 'openjdk version \"17.0.15\"' >&2; exit 0;;",
                "*ArchiveClassesAtExit=archive*)",
                "  [ -f semel.yaml ] || exit 3",
                "  trap 'echo classes > archive; exit 0' TERM",
                "  echo 'Listening on http://127.0.0.1:1.'",
                "  while :; do sleep 0.05; done;;",
                "esac",
                "printf '[%s]\\n' \"$@\"",
                "exit 42");
        Shell first = semel("serve", "my.yaml");
        assertThat(first.exit()).isEqualTo(42);
        assertThat(first.err()).contains("semel: preparing a fast start of the server");
        assertThat(fileIn(first, "[-XX:SharedArchiveFile=")).hasContent("classes");
        Shell second = semel("serve");
        assertThat(second.err()).isEmpty();
        assertThat(fileIn(second, "[-XX:SharedArchiveFile=")).isRegularFile();
        assertThat(semel("doctor").out()).doesNotContain("SharedArchiveFile");
        Shell demo = semel("demo");
        assertThat(demo.err()).as("the servers of the demo share it").doesNotContain("fast start");
        assertThat(fileIn(demo, "[-Dsemel.archive=")).hasContent("classes");
        assertThat(demo.out()).doesNotContain("SharedArchiveFile");
    }

    @Test
    void serverWhoseClassesAreArchivedHasNoConfigurationFaults() throws Exception {
        String launcher = Files.readString(LAUNCHER);
        int begin = launcher.indexOf("<<'YAML'\n") + "<<'YAML'\n".length();
        String yaml = launcher.substring(begin, launcher.indexOf("\nYAML\n", begin));
        Path file = Files.writeString(temp.resolve("semel.yaml"), yaml);
        ConfigFile read = ConfigFile.read(file, Secrets.of(Map.of("SEMEL_NO_SECRET", secretIn(launcher))));
        assertThat(read.config().sources()).hasSize(1);
        assertThat(read.warnings()).isEmpty();
    }

    private static String secretIn(String launcher) {
        Matcher secret = Pattern.compile("SEMEL_NO_SECRET=(\\S+)").matcher(launcher);
        assertThat(secret.find()).isTrue();
        return secret.group(1);
    }

    @Test
    void javaThatCannotMakeAnArchiveStartsTheServerWithoutOne() throws Exception {
        Shell first = semel("serve");
        assertThat(first.exit()).isEqualTo(42);
        assertThat(first.out()).doesNotContain("SharedArchiveFile").contains("[serve]");
        assertThat(semel("serve").err()).isEmpty();
    }

    @Test
    void channelBenchRunsWithoutPeerLibraries() throws Exception {
        semel("bench", "ledger");
        tool("mvn", "echo 'no way out'", "exit 1");
        Shell shell = semel("bench", "channel");
        assertThat(shell.exit()).isEqualTo(42);
        assertThat(shell.err())
                .contains("no way out", "semel: download failed", "Continuing without the other libraries.");
    }

    @Test
    void argumentsExitCodeAndWorkingDirectoryArePassedOn() throws Exception {
        Shell shell = semel("one two", "", "--x=*");
        assertThat(shell.exit()).isEqualTo(42);
        assertThat(shell.out().lines())
                .endsWith("[one two]", "[]", "[--x=*]", "in " + temp.toRealPath())
                .contains("[--enable-native-access=ALL-UNNAMED]", "[dev.semel.cli.Main]");
    }

    @Test
    void launcherWorksThroughSymbolicLinks() throws Exception {
        Path bin = Files.createDirectories(temp.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("inner"), Path.of("../a checkout/semel"));
        Files.createSymbolicLink(bin.resolve("semel"), bin.resolve("inner"));
        assertThat(run(temp, bin.resolve("semel").toString(), "doctor").exit()).isEqualTo(42);
        assertThat(root.resolve(".semel")).isDirectory();
    }

    @Test
    void firstUsesAtTheSameTimeBuildOnce() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            processes.add(start(temp, root.resolve("semel").toString(), "doctor"));
        }
        for (Process process : processes) {
            assertThat(finish(process).exit()).isEqualTo(42);
        }
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void oldJavaIsRejected() throws Exception {
        java("11.0.2");
        Shell shell = semel("doctor");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).startsWith("semel: Java is too old: 'java' is version 11");
        java("1.8.0_312");
        assertThat(semel("doctor").exit()).isEqualTo(2);
        assertThat(builds()).isZero();
    }

    @Test
    void failedBuildShowsWhyAndRunsNothing() throws Exception {
        tool("mvn", "echo 'A.java:1: no such thing'", "exit 1");
        Shell shell = semel("doctor");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("A.java:1: no such thing", "semel: build failed");
    }

    @Test
    void missingJavaOrMavenIsNamed() throws Exception {
        tools = Files.createDirectories(temp.resolve("bare"));
        for (String name : List.of("dirname", "readlink", "find", "cksum", "sort", "tr", "mkdir", "sed", "head")) {
            tool(name, "PATH=/usr/bin:/bin exec " + name + " \"$@\"");
        }
        Shell withoutJava = semelOn(tools.toString(), "doctor");
        assertThat(withoutJava.exit()).isEqualTo(2);
        assertThat(withoutJava.err()).startsWith("semel: Java not found: 'java' does not exist.");
        java("17");
        Shell withoutMaven = semelOn(tools.toString(), "doctor");
        assertThat(withoutMaven.exit()).isEqualTo(2);
        assertThat(withoutMaven.err()).startsWith("semel: Maven not found");
    }

    private void java(String version) throws IOException {
        tool(
                "java",
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"" + version + "\" 2025-04-15' >&2; exit 0; fi",
                "for a; do echo \"[$a]\"; done",
                "echo \"in $(pwd -P)\"",
                "exit 42");
    }

    private void tool(String name, String... lines) throws IOException {
        Path file = tools.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        executable(file);
    }

    private static void executable(Path file) {
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private long builds() throws IOException {
        Path builds = temp.resolve("builds");
        return Files.exists(builds) ? Files.readAllLines(builds).size() : 0;
    }

    private Shell semel(String... args) throws Exception {
        return semelOn(tools + ":" + System.getenv("PATH"), args);
    }

    private Shell semelOn(String path, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(root.resolve("semel").toString()));
        command.addAll(List.of(args));
        return finish(start(path, temp, command));
    }

    private Shell run(Path directory, String... command) throws Exception {
        return finish(start(directory, command));
    }

    private Process start(Path directory, String... command) throws IOException {
        return start(tools + ":" + System.getenv("PATH"), directory, List.of(command));
    }

    private static Process start(String path, Path directory, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("PATH", path);
        builder.environment().remove("JAVA_HOME");
        return builder.start();
    }

    private static Shell finish(Process process) throws Exception {
        String out = new String(process.getInputStream().readAllBytes());
        String err = new String(process.getErrorStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Shell(process.exitValue(), out, err);
    }
}

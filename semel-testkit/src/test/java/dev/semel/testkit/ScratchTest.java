package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScratchTest {
    @Test
    void jvmThatIsKilledLeavesNeitherItsDirectoriesNorItsServers() throws Exception {
        PrivatePostgres.shared();
        Process child = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(child.waitFor()).isEqualTo(137);
        assertThat(said).hasSize(2);
        ProcessHandle server = ProcessHandle.of(Long.parseLong(said.get(1))).orElse(null);
        Await.until("the server has stopped", () -> server == null || !server.isAlive());
        Await.until("the directory is gone", () -> !Files.exists(Path.of(said.get(0))));
    }

    @Test
    void directoryIsNewAndEmpty() throws Exception {
        Path one = Scratch.directory("one");
        assertThat(one).isEmptyDirectory().isNotEqualTo(Scratch.directory("one"));
        Files.writeString(one.resolve("file"), "text");
        Scratch.remove(one);
        assertThat(one).doesNotExist();
        Scratch.remove(one);
    }

    /** Starts a server, says where its data is and which process it is, and ends as {@code kill -9} would end it. */
    static final class Killed {
        public static void main(String[] arguments) throws Exception {
            PrivatePostgres postgres = PrivatePostgres.start(PrivatePostgres.FAST);
            Path data = postgres.dataDirectory();
            System.out.println(data.getParent().getParent());
            System.out.println(
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0));
            Runtime.getRuntime().halt(137);
        }
    }
}

package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS: the connection goes to the checked address, and the certificate is verified by the name. */
class TlsDeliveryTest {
    private static final String PASSWORD = "changeit";
    private static final EgressRules LOOPBACK = new EgressRules(false, List.of("127.0.0.1/32"));

    @TempDir
    static Path directory;

    private static KeyStore keys;

    @BeforeAll
    static void makeCertificate() throws Exception {
        Path file = directory.resolve("receiver.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "receiver",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=receiver",
                        "-ext",
                        "SAN=dns:receiver.test",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
    }

    private static SSLServerSocket listening() throws Exception {
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    }

    private static SslContextFactory.Client trusting() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("receiver", keys.getCertificate("receiver"));
        SslContextFactory.Client tls = new SslContextFactory.Client();
        tls.setTrustStore(trusted);
        return tls;
    }

    private static Destinations destinations(SslContextFactory.Client tls) {
        return new Destinations(DeliveryClient.start(name -> List.of(Destinations.address("127.0.0.1")), tls));
    }

    private static URI url(String host, RawServer server) {
        return URI.create("https://" + host + ":" + server.port() + "/");
    }

    @Test
    void certificateIsVerifiedByTheNameAlthoughTheAddressIsPinned() throws Exception {
        try (RawServer server = RawServer.on(
                        listening(),
                        (request, out) -> out.write(RawServer.answer(200, "").getBytes(StandardCharsets.US_ASCII)));
                Destinations destinations = destinations(trusting())) {
            assertThat(destinations.failure(
                            Destinations.target(url("receiver.test", server), Destinations.LONG, LOOPBACK)))
                    .isNull();
            assertThat(server.received().get(0).header("host")).isEqualTo("receiver.test:" + server.port());
            for (String other : List.of("other.test", "127.0.0.1")) {
                Failure failure =
                        destinations.failure(Destinations.target(url(other, server), Destinations.LONG, LOOPBACK));
                assertThat(failure).as(other).isNotNull();
                assertThat(failure.category()).isEqualTo(Category.NETWORK);
                assertThat(failure.reason()).contains("TLS failed");
            }
            assertThat(server.received()).hasSize(1);
        }
    }

    @Test
    void nameIsSentInTheHandshake() throws Exception {
        Queue<String> names = new ConcurrentLinkedQueue<>();
        try (SSLServerSocket listening = listening();
                Destinations destinations = destinations(trusting())) {
            Thread thread = new Thread(() -> {
                try (SSLSocket socket = (SSLSocket) listening.accept()) {
                    socket.startHandshake();
                    ExtendedSSLSession session = (ExtendedSSLSession) socket.getSession();
                    session.getRequestedServerNames().forEach(name -> names.add(((SNIHostName) name).getAsciiName()));
                } catch (IOException e) {
                    names.add(e.toString());
                }
            });
            thread.start();
            destinations.failure(Destinations.target(
                    URI.create("https://receiver.test:" + listening.getLocalPort() + "/"),
                    Destinations.LONG,
                    LOOPBACK));
            thread.join();
            assertThat(names).containsExactly("receiver.test");
        }
    }

    @Test
    void g4_handshakeThatTricklesInEndsWithItsConnection() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Destinations destinations = new Destinations(DeliveryClient.start(
                        name -> List.of(Destinations.address("127.0.0.1")), trusting(), Duration.ofMillis(200)))) {
            Thread thread = new Thread(() -> {
                try (Socket socket = listening.accept()) {
                    // the head of a record of 16 KiB, and then its bytes, one at a time
                    socket.getOutputStream().write(new byte[] {22, 3, 3, 64, 0});
                    while (!Await.within(Duration.ofMillis(20), () -> false)) {
                        socket.getOutputStream().write(0);
                    }
                } catch (IOException ended) {
                    closed.countDown();
                }
            });
            thread.start();
            Failure failure = destinations.failure(Destinations.target(
                    URI.create("https://receiver.test:" + listening.getLocalPort() + "/"),
                    Duration.ofMillis(50),
                    LOOPBACK));
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.TIMEOUT);
            closed.await();
        }
    }

    @Test
    void certificateThatNobodyTrustsIsANetworkFailure() throws Exception {
        try (RawServer server = RawServer.on(listening(), (request, out) -> out.write(1));
                Destinations destinations = destinations(new SslContextFactory.Client())) {
            Failure failure = destinations.failure(
                    Destinations.target(url("receiver.test", server), Destinations.LONG, LOOPBACK));
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.NETWORK);
            assertThat(failure.reason()).contains("TLS failed");
            assertThat(server.received()).isEmpty();
        }
    }
}

package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.ServerConfig.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class TlsTest {
    @TempDir
    private Path directory;

    /** Certificate and key in PEM files, made by keytool. */
    private TlsFiles pair(String name, String algorithm) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=" + name,
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        return new TlsFiles(
                pem(name + ".crt", "CERTIFICATE", keys.getCertificate("server").getEncoded()),
                pem(
                        name + ".key",
                        "PRIVATE KEY",
                        keys.getKey("server", "changeit".toCharArray()).getEncoded()));
    }

    private Path pem(String file, String kind, byte[] encoded) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(encoded);
        return Files.writeString(
                directory.resolve(file), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private ServerConfig config(TlsFiles files) {
        ServerConfig.Listen listen =
                new ServerConfig.Listen("127.0.0.1", 0, files, TestConfig.LIMITS, Duration.ofSeconds(10));
        return new ServerConfig(
                "sqlite:" + directory.resolve("ledger.db"),
                listen,
                List.of(),
                List.of(),
                new ServerConfig.Routing(List.of(), List.of(), List.of()));
    }

    /** The subject of the certificate with which the server answers. */
    private static String subject(SemelServer server) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new AnyCertificate()}, new SecureRandom());
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", server.uri().getPort())) {
            socket.startHandshake();
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            socket.getOutputStream()
                    .write("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200");
            return certificate.getSubjectX500Principal().getName();
        }
    }

    private static final class AnyCertificate implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no clients here");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void certificateAndKeyOfPemFilesAreServed(String algorithm) throws Exception {
        TlsFiles files = pair("first", algorithm);
        try (SemelServer server = SemelServer.start(config(files))) {
            assertThat(server.uri().getScheme()).isEqualTo("https");
            assertThat(subject(server)).isEqualTo("CN=first");
        }
    }

    @Test
    void reloadServesTheRenewedCertificateAndRejectsAKeyOfAnother() throws Exception {
        TlsFiles first = pair("first", "EC");
        TlsFiles second = pair("second", "EC");
        try (SemelServer server = SemelServer.start(config(first))) {
            assertThat(server.reload(config(second))).isTrue();
            assertThat(subject(server)).isEqualTo("CN=second");
            assertThatThrownBy(() -> server.reload(config(new TlsFiles(first.certificate(), second.key()))))
                    .isInstanceOf(InvalidKeyException.class)
                    .hasMessageContaining("does not belong to the certificate");
            assertThat(subject(server)).isEqualTo("CN=second");
        }
    }

    @Test
    void fileThatIsNoKeyIsRejectedWithTheCommandThatConvertsIt() throws Exception {
        TlsFiles files = pair("first", "EC");
        Files.writeString(files.key(), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
        assertThatThrownBy(() -> SemelServer.start(config(files)))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("openssl pkcs8");
    }
}

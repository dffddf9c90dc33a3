package dev.semel.conformance;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;

/** A POST whose client closes the connection before it has read the response. */
final class AbortedRequest {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final int MISSING = 64;

    private AbortedRequest() {}

    /** When the client closes its connection. */
    enum AbortPoint {
        /** With the last bytes of the body still to be sent. */
        BEFORE_THE_END_OF_THE_BODY,
        BEFORE_THE_ANSWER,
        /** With the first byte of it read. */
        DURING_THE_ANSWER
    }

    static void send(URI url, Map<String, String> headers, String body, AbortPoint when) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        StringBuilder head = new StringBuilder("POST ").append(path);
        if (url.getRawQuery() != null) {
            head.append('?').append(url.getRawQuery());
        }
        head.append(" HTTP/1.1\r\nHost: ").append(url.getRawAuthority()).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Type: application/json\r\nContent-Length: ")
                .append(bytes.length + (when == AbortPoint.BEFORE_THE_END_OF_THE_BODY ? MISSING : 0))
                .append("\r\nConnection: close\r\n\r\n");
        try (Socket socket = connect(url)) {
            OutputStream out = socket.getOutputStream();
            out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(bytes);
            out.flush();
            if (when == AbortPoint.DURING_THE_ANSWER) {
                socket.getInputStream().read();
            }
        }
    }

    private static Socket connect(URI url) throws IOException {
        boolean secure = "https".equals(url.getScheme());
        int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(url.getHost(), port), Math.toIntExact(BOUND.toMillis()));
            socket.setSoTimeout(Math.toIntExact(BOUND.toMillis()));
            if (!secure) {
                return socket;
            }
            return ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(socket, url.getHost(), port, true);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}

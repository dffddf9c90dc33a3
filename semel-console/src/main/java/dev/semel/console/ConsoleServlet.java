package dev.semel.console;

import dev.semel.console.StaticFiles.StaticFile;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Serves the pages of the console. To be mapped to a path and all below it. Everything in the pages is relative, so they work below any path and
 * behind a proxy that adds one. They hold nothing of the ledger: whoever may see them sees data only through the API. Thread-safe.
 */
public final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final transient StaticFiles files;

    /** How people log in. */
    public enum LoginKind {
        /** With a secret, on a page of the console. */
        SECRET,
        /** Elsewhere: the application around it knows who they are. */
        EXTERNAL
    }

    /**
     * Reads the pages.
     *
     * @param api the path of the API, relative to the pages: {@code ../api/v1}
     * @throws IllegalStateException when the pages are not on the class path
     */
    public ConsoleServlet(String api, LoginKind login) {
        this.files = StaticFiles.read(page ->
                page.replace("%API%", api).replace("%LOGIN%", login.name().toLowerCase(Locale.ROOT)));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        protect(response);
        String method = request.getMethod();
        String path = request.getPathInfo();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            response.setHeader("Allow", "GET, HEAD");
            text(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "Use GET or HEAD.\n");
        } else if (path == null || path.isEmpty()) {
            redirect(request, response);
        } else {
            file(request, response, path.equals("/") ? StaticFiles.INDEX : path.substring(1));
        }
    }

    private static void protect(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
        response.setHeader("Cache-Control", "no-cache");
    }

    /** To the same path with a slash, relative: a proxy may have added something in front. */
    private static void redirect(HttpServletRequest request, HttpServletResponse response) {
        String uri = request.getRequestURI();
        response.setStatus(HttpServletResponse.SC_FOUND);
        response.setHeader("Location", "./" + uri.substring(uri.lastIndexOf('/') + 1) + "/");
    }

    private void file(HttpServletRequest request, HttpServletResponse response, String name) throws IOException {
        StaticFile file = files.find(name);
        if (file == null) {
            text(response, HttpServletResponse.SC_NOT_FOUND, "The console has no such page.\n");
            return;
        }
        response.setHeader("ETag", file.tag());
        if (isKnown(request.getHeader("If-None-Match"), file)) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        response.setContentType(file.type());
        response.setContentLength(file.bytes().length);
        if (request.getMethod().equals("GET")) {
            response.getOutputStream().write(file.bytes());
        }
    }

    private static boolean isKnown(@Nullable String tags, StaticFile file) {
        return tags != null
                && Arrays.stream(tags.split(","))
                        .map(tag -> tag.strip().replaceFirst("^W/", ""))
                        .anyMatch(file.tag()::equals);
    }

    private static void text(HttpServletResponse response, int status, String text) throws IOException {
        response.setStatus(status);
        response.setContentType("text/plain; charset=utf-8");
        response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }
}

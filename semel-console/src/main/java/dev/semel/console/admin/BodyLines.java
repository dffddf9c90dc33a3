package dev.semel.console.admin;

import dev.semel.SemelException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The lines of a request's body, read as they arrive; none is longer than a limit. */
final class BodyLines implements Iterator<String> {
    private final HttpServletRequest request;
    private final int longest;
    private @Nullable InputStream in;
    private @Nullable String next;
    private boolean ended;

    BodyLines(HttpServletRequest request, int longest) {
        this.request = request;
        this.longest = longest;
    }

    Stream<String> stream() {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false);
    }

    @Override
    public boolean hasNext() {
        if (next == null && !ended) {
            next = read();
            ended = next == null;
        }
        return next != null;
    }

    @Override
    public String next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException();
        }
        String line = next;
        next = null;
        return line;
    }

    private @Nullable String read() {
        try {
            InputStream source = in == null ? new BufferedInputStream(request.getInputStream()) : in;
            in = source;
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int each = source.read();
            if (each < 0) {
                return null;
            }
            while (each >= 0 && each != '\n') {
                if (line.size() == longest) {
                    throw new SemelException.Invalid("A line is longer than " + longest + " bytes. Nothing was done.");
                }
                line.write(each);
                each = source.read();
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new SemelException.Invalid("A line is not UTF-8. Nothing was done.", e);
        } catch (IOException e) {
            throw new SemelException.Invalid(
                    "The connection failed before the whole body had arrived. Nothing was done.", e);
        }
    }
}

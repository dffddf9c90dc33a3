package dev.semel.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A buffer with a limit that starts in memory and moves to a temporary file when it grows. The file is deleted while it is open
 * where the system allows that, so that a crash leaves no file. Used by one thread at a time.
 */
final class SpoolBuffer implements AutoCloseable {
    private final int inMemory;
    private final long limit;
    private @Nullable ByteArrayOutputStream memory = new ByteArrayOutputStream();
    private @Nullable RandomAccessFile file;
    private @Nullable Path named;
    private long size;

    SpoolBuffer(int inMemory, long limit) {
        this.inMemory = inMemory;
        this.limit = limit;
    }

    /** The content exceeds the limit. */
    static final class LimitExceeded extends IOException {
        private static final long serialVersionUID = 1;

        LimitExceeded(long limit) {
            this(limit, "bytes");
        }

        LimitExceeded(long limit, String unit) {
            super("The body exceeds the limit of " + limit + " " + unit + ". Send less, or raise the limit.");
        }
    }

    void write(byte[] bytes, int from, int length) throws IOException {
        if (length > limit - size) {
            throw new LimitExceeded(limit);
        }
        ByteArrayOutputStream small = memory;
        if (small != null && size + length <= inMemory) {
            small.write(bytes, from, length);
        } else {
            RandomAccessFile large = file();
            large.seek(size);
            large.write(bytes, from, length);
        }
        size += length;
    }

    /** Not a FileChannel, which an interrupt of the handler's thread would close. */
    private RandomAccessFile file() throws IOException {
        RandomAccessFile open = file;
        if (open == null) {
            Path path = Files.createTempFile("semel-http", ".body");
            open = new RandomAccessFile(path.toFile(), "rw");
            file = open;
            try {
                Files.delete(path);
            } catch (IOException e) {
                named = path;
            }
            if (memory != null) {
                open.write(memory.toByteArray());
                memory = null;
            }
        }
        return open;
    }

    long size() {
        return size;
    }

    /** The whole content if it is in memory; otherwise null. */
    byte @Nullable [] small() {
        return memory == null ? null : memory.toByteArray();
    }

    /** Reads from the beginning; may be called repeatedly. */
    InputStream read() {
        RandomAccessFile open = file;
        byte[] small = small();
        return open == null
                ? new ByteArrayInputStream(small == null ? new byte[0] : small)
                : new BufferInput(open, size);
    }

    /** Empties the buffer. */
    void clear() throws IOException {
        if (file != null) {
            file.setLength(0);
        } else if (memory != null) {
            memory.reset();
        }
        size = 0;
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
            if (named != null) {
                Files.deleteIfExists(named);
            }
        } catch (IOException e) {
            // The system removes temporary files; nothing else can be done.
            memory = null;
        }
    }

    private static final class BufferInput extends InputStream {
        private final RandomAccessFile file;
        private final long end;
        private long at;

        BufferInput(RandomAccessFile file, long end) {
            this.file = file;
            this.end = end;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int wanted = (int) Math.min(length, end - at);
            if (wanted <= 0) {
                return -1;
            }
            file.seek(at);
            int read = file.read(into, from, wanted);
            if (read > 0) {
                at += read;
            }
            return read;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, end - at);
        }
    }
}

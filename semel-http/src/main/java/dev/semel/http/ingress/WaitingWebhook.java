package dev.semel.http.ingress;

import dev.semel.Message;
import dev.semel.Sent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request whose webhook waits to be stored, and whose thread is free. It is answered once: by the storing, or by its time-out. */
final class WaitingWebhook implements SharedStoring.Waiting<Message<Webhook>, Sent>, AsyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingWebhook.class);

    /** What is written to the client. */
    interface Answering {
        void stored(Sent sent) throws IOException;

        void failed(RuntimeException why) throws IOException;
    }

    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    private final Message<Webhook> message;
    private final AsyncContext context;
    private final Answering answering;
    private final AtomicBoolean answered = new AtomicBoolean();

    WaitingWebhook(Message<Webhook> message, AsyncContext context, Answering answering) {
        this.message = message;
        this.context = context;
        this.answering = answering;
        context.addListener(this);
    }

    @Override
    public Message<Webhook> message() {
        return message;
    }

    @Override
    public Object identity() {
        return List.of(message.tenant(), message.key());
    }

    @Override
    public long bytes() {
        return message.payload().body().length;
    }

    /** An acknowledgement has no body, so writing it cannot wait for a slow client; every other answer is written by a thread of its own. */
    @Override
    public void answered(Sent sent) {
        if (sent instanceof Sent.Rejected) {
            elsewhere(() -> answering.stored(sent));
        } else {
            once(() -> answering.stored(sent));
        }
    }

    @Override
    public void failed(RuntimeException why) {
        elsewhere(() -> answering.failed(why));
    }

    private void elsewhere(Write write) {
        try {
            context.start(() -> once(write));
        } catch (RuntimeException e) {
            once(write);
        }
    }

    private void once(Write write) {
        if (!answered.compareAndSet(false, true)) {
            return;
        }
        try {
            write.run();
        } catch (IOException | RuntimeException e) {
            LOG.debug("An answer could not be written; the client is gone.", e);
        } finally {
            complete();
        }
    }

    private void complete() {
        try {
            context.complete();
        } catch (RuntimeException e) {
            LOG.debug("A request has ended before its answer.", e);
        }
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        once(() -> answering.failed(new IllegalStateException("the store did not answer in time")));
    }

    /** The container answers with an error of its own: only that is no acknowledgement. */
    @Override
    public void onError(AsyncEvent event) {
        answered.set(true);
    }

    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
}

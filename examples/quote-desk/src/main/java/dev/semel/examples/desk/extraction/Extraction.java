package dev.semel.examples.desk.extraction;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.FreeText;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.quotes.Action;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Commands;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.examples.desk.web.JsonService;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Asks a model what a sentence means. What the model says is validated like any other input; a wrong answer is not asked for again but
 * becomes a question to the user. A model that does not answer in time is replaced by a form.
 */
public final class Extraction {
    private final Semel semel;
    private final Commands commands;
    private final JsonService model;

    public Extraction(Semel semel, Commands commands, JsonService model) {
        this.semel = semel;
        this.commands = commands;
        this.model = model;
    }

    /** Handles the channel of the model, and its dead letters. */
    public void register() {
        semel.onDead(Channels.EXTRACT, Extraction::fallBack);
        semel.handle(Channels.EXTRACT, this::extract);
    }

    private void extract(FreeText text, LeasedContext run) throws Exception {
        Command command = run.step("ask", Command.class, key -> {
            JsonNode said = model.post("/v1/extract", Map.of("text", text.text()), Map.of("Idempotency-Key", key));
            return command(said, text.asked());
        });
        Answer<?> answer = commands.run(command);
        if (answer instanceof Answer.Failed<?> failed) {
            throw Failure.of(Category.INVALID_OUTPUT, failed.failure().reason()).asException();
        }
        if (!answer.isResult()) {
            throw Failure.of(Category.UPSTREAM_ERROR, "The quote could not be made yet.")
                    .asException();
        }
    }

    /** @throws Failure.Thrown when the answer of the model is not a quote, saying which part is missing */
    private static Command command(JsonNode said, Asked asked) {
        String customer = said.path("customer").asString("");
        String product = said.path("product").asString("");
        int quantity = said.path("quantity").asInt(0);
        int discount = said.path("discount").asInt(0);
        String missing = customer.isBlank()
                ? "customer"
                : product.isBlank()
                        ? "product"
                        : quantity < 1 ? "quantity" : discount < 0 || discount > 99 ? "discount" : "";
        if (!missing.isEmpty()) {
            throw Failure.of(Category.INVALID_OUTPUT, "I could not read the " + missing + ".")
                    .asException();
        }
        return new Command(
                Action.CREATE,
                asked,
                Command.Target.NEW,
                Map.of(
                        "customer",
                        customer,
                        "product",
                        product,
                        "quantity",
                        Integer.toString(quantity),
                        "discount",
                        Integer.toString(discount)));
    }

    // region fallback
    private static void fallBack(Death<FreeText> death, AtomicContext tx) {
        Asked asked = death.payload().orElseThrow().asked();
        Key key = death.key("question");
        boolean unreadable = death.failure().category() == Category.INVALID_OUTPUT;
        Note note = unreadable
                ? new Note(
                        asked.channel(),
                        key.text(),
                        death.failure().reason() + " Please write, for example: 25 Pro for Acme, 10 % off.",
                        List.of(),
                        asked)
                : new Note(
                        asked.channel(),
                        key.text(),
                        "I cannot read free text at the moment. Please fill in the form.",
                        List.of(new Note.Button("Open form", "open_form", "new")),
                        asked);
        tx.send(Channels.NOTICE, Channels.message(key, note, asked));
    }
    // endregion
}

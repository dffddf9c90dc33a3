package dev.semel.server.config;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.server.access.Scope;
import dev.semel.server.access.Token;
import dev.semel.server.access.Tokens;
import dev.semel.server.config.ConfigSection.NamedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The clients of the HTTP API. */
record TokenReader(ConfigSection all) {

    /** Those without faults; the faults of others are reported. */
    List<Token> read(List<NamedNode> nodes) {
        List<Token> tokens = new ArrayList<>();
        for (NamedNode node : nodes) {
            all.section(node.node(), "token " + ConfigText.quoted(node.name()), ConfigPart.TOKEN)
                    .flatMap(section -> read(node, section))
                    .ifPresent(token -> add(token, tokens, node));
        }
        return tokens;
    }

    private static Optional<Token> read(NamedNode node, ConfigSection section) {
        Optional<List<ConfigText>> secret = SecretSettings.read(section, ConfigSetting.TOKEN_SECRET);
        if (secret.isPresent() && secret.get().size() > 1) {
            section.fault(ConfigSetting.TOKEN_SECRET, "is a list: a client has one secret; add a token to replace it");
        }
        Optional<Tenant> tenant = section.value(ConfigSetting.TOKEN_TENANT, TokenReader::tenant);
        List<Scope> scopes = new ArrayList<>();
        for (ConfigText text : section.texts(ConfigSetting.TOKEN_SCOPES)) {
            section.value(text, section.label(ConfigSetting.TOKEN_SCOPES.key()), TokenReader::scope)
                    .ifPresent(scopes::add);
        }
        return secret.isEmpty() || secret.get().size() != 1 || tenant.isEmpty() || scopes.isEmpty()
                ? Optional.empty()
                : Optional.of(new Token(node.name(), secret.get().get(0).text(), tenant.get(), scopes));
    }

    static Tenant tenant(String text) {
        try {
            return Tenant.of(text);
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException("not the name of a tenant", wrong);
        }
    }

    private static Scope scope(String text) {
        try {
            return Scope.of(text);
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException(
                    "not a scope; write run, send, work, or for some names only send:orders or run:billing.*", wrong);
        }
    }

    /** Secrets are checked with those before: two clients with the same one could not be told apart. */
    private void add(Token token, List<Token> tokens, NamedNode node) {
        tokens.add(token);
        try {
            Tokens.of(tokens);
        } catch (SemelException.Misconfigured wrong) {
            tokens.remove(token);
            wrong.faults().forEach(fault -> all.findings().fault(node.at(), fault));
        }
    }
}

package dev.semel.examples.desk;

import java.net.URI;
import java.nio.file.Path;

/**
 * Where the desk finds what it needs.
 *
 * @param file the database: quotes and ledger
 * @param documents the folder of the PDFs
 * @param slack the Web API
 * @param slackLogin token and signing secret
 */
public record DeskSettings(Path file, Path documents, URI slack, SlackLogin slackLogin, URI crm, URI model) {
    /**
     * @param token for calls to Slack
     * @param signingSecret of calls from Slack; 16 characters or more
     */
    public record SlackLogin(String token, String signingSecret) {
        @Override
        public String toString() {
            return "SlackLogin[...]";
        }
    }
}

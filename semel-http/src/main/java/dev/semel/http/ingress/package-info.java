/**
 * Signed webhook ingress: takes in the webhooks of a sender, each once, and answers 200 only when the message is durable. Start with
 * {@link dev.semel.http.ingress.WebhookSource} and {@link dev.semel.http.ingress.WebhookServlet}.
 */
@NullMarked
package dev.semel.http.ingress;

import org.jspecify.annotations.NullMarked;

package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.http.ingress.WebhookSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A webhook servlet beside Spring MVC: the Idempotency-Key filter lets its requests pass, and its answers are counted. */
class SpringWebhookTest {
    private static final String SECRET = "whsec_test_0123456789abcdef";

    @Service
    static class Payments {
        final Queue<String> booked = new ConcurrentLinkedQueue<>();

        @SemelChannel("payments-inbox")
        public void book(Webhook webhook) {
            booked.add(webhook.text());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Payments.class)
    static class Application {
        // region beans
        @Bean
        Channel.Atomic<Webhook> payments() {
            return Webhook.atomic("payments-inbox");
        }

        @Bean
        ServletRegistrationBean<WebhookServlet> stripe(
                Semel semel, Channel.Atomic<Webhook> payments, @Value("${stripe.secret:}") String secret) {
            WebhookSource source = WebhookSource.stripe("stripe", WebhookSecrets.of(secret));
            return new ServletRegistrationBean<>(new WebhookServlet(semel, payments, source), "/webhooks/stripe");
        }
        // endregion

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext context, String body) throws Exception {
        return post(context, body, "application/json");
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext context, String body, String type)
            throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        long now = Instant.now().getEpochSecond();
        byte[] signature = mac.doFinal((now + "." + body).getBytes(StandardCharsets.UTF_8));
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://localhost:" + Web.of(context).port() + "/webhooks/stripe"))
                                .header(
                                        "Stripe-Signature",
                                        "t=" + now + ",v1=" + HexFormat.of().formatHex(signature))
                                .header("Content-Type", type)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Its mappings match any path of two parts, and look at the parameters of every form. */
    @RestController
    static class GreedyController {
        @PostMapping("/{first}/{second}")
        String any() {
            return "greedy";
        }

        @PostMapping(path = "/forms", params = "text")
        String form() {
            return "form";
        }
    }

    private static ConfigurableApplicationContext run(String secret, Class<?>... more) {
        return new SpringApplicationBuilder(Application.class)
                .sources(more)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "stripe.secret=" + secret,
                        "semel.http.anonymous=true",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY)
                .run();
    }

    @Test
    void webhookIsTakenInOnceAndHandledByItsMethod() throws Exception {
        try (ConfigurableApplicationContext context = run(SECRET)) {
            String body = "{\"id\":\"evt_1\"}";
            HttpResponse<String> first = post(context, body);
            assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
            assertThat(first.headers().firstValue("Semel-Ingress")).hasValue("accepted");
            assertThat(post(context, body).headers().firstValue("Semel-Ingress"))
                    .hasValue("duplicate");
            Payments payments = context.getBean(Payments.class);
            ShopSuite.eventually(() -> payments.booked.size() == 1);
            assertThat(payments.booked).containsExactly(body);
            assertThat(context.getBean(MeterRegistry.class)
                            .get("semel.ingress.requests")
                            .tag("answer", "duplicate")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void controllersThatWouldMatchItsPathOrItsFormDoNotTouchAWebhook() throws Exception {
        try (ConfigurableApplicationContext context = run(SECRET, GreedyController.class)) {
            HttpResponse<String> json = post(context, "{\"id\":\"evt_1\"}", "application/json");
            assertThat(json.statusCode()).as(json.body()).isEqualTo(200);
            assertThat(json.headers().firstValue("Semel-Ingress")).hasValue("accepted");
            HttpResponse<String> form = post(context, "text=94070&id=evt_2", "application/x-www-form-urlencoded");
            // Stripe sends no forms: its id is missing, but the body arrived whole and its signature held.
            assertThat(form.body()).contains("ingress.event_invalid");
        }
    }

    @Test
    void f1_propertyThatIsNotSetSwitchesTheEndpointOff() throws Exception {
        try (ConfigurableApplicationContext context = run("")) {
            HttpResponse<String> refused = post(context, "{\"id\":\"evt_1\"}");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("ingress.disabled");
        }
    }
}

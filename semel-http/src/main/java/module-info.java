/** The {@code Idempotency-Key} filter for Jakarta Servlet, a client that keeps its key, and signed webhook ingress. */
@SuppressWarnings({"module", "requires-automatic"})
module dev.semel.http {
    requires transitive dev.semel;
    requires transitive java.net.http;
    requires org.slf4j;
    requires static transitive jakarta.servlet;

    exports dev.semel.http;
    exports dev.semel.http.ingress;
    exports dev.semel.http.shared to
            dev.semel.console,
            dev.semel.spring;

    opens dev.semel.http.ingress to
            tools.jackson.databind;
}

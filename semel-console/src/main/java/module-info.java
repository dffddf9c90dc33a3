/** The API for operators, and the pages over it. */
@SuppressWarnings({"module", "requires-automatic"})
module dev.semel.console {
    requires transitive dev.semel;
    requires dev.semel.http;
    requires org.slf4j;
    requires static transitive jakarta.servlet;

    exports dev.semel.console to
            dev.semel.spring;
    exports dev.semel.console.access to
            dev.semel.spring;
    exports dev.semel.console.admin to
            dev.semel.spring;
    exports dev.semel.console.rest to
            dev.semel.spring;
}

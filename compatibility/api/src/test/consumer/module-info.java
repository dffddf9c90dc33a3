module shop {
    requires dev.semel;

    opens shop to
            tools.jackson.databind;
}

package dev.semel.examples.desk.demo;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.http.Request;
import dev.semel.examples.demo.StandIn;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/** The stand-in for a language model: it reads sentences such as "40 Pro for Globex, 10 % off". */
public final class ToyModel implements StandIn.Responder {
    private static final Pattern SENTENCE =
            Pattern.compile(".*?(?:(\\d+)\\s+)?(Team|Pro|Enterprise)\\b.*?\\bfor (\\w+)(?:.*?(\\d+) ?%)?.*");

    @Override
    public ResponseDefinitionBuilder answer(Request request) {
        String text =
                JsonMapper.shared().readTree(request.getBody()).path("text").asString("");
        Map<String, Object> read = new LinkedHashMap<>();
        Matcher found = SENTENCE.matcher(text);
        if (found.matches()) {
            read.put("customer", found.group(3));
            read.put("product", found.group(2));
            read.put("quantity", found.group(1) == null ? 0 : Integer.parseInt(found.group(1)));
            read.put("discount", found.group(4) == null ? 0 : Integer.parseInt(found.group(4)));
        }
        return WireMock.jsonResponse(JsonMapper.shared().writeValueAsString(read), 200);
    }
}

package dev.semel.console.rest;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON of clients: UTF-8, one value, no field twice, no deeper than payloads may be. */
public final class StrictJson {
    /** Of a payload 64, and of the request around it. */
    static final int DEEPEST = 66;

    private static final StreamReadConstraints BOUNDS = StreamReadConstraints.builder()
            .maxNestingDepth(DEEPEST)
            .maxStringLength(Integer.MAX_VALUE)
            .build();

    /** For values that were read before, too. */
    public static final JsonMapper EXACT = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(BOUNDS).build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private static final JsonMapper STRICT = EXACT.rebuild()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private StrictJson() {}

    /** @throws ApiProblem when it is not one JSON object */
    public static JsonBody object(byte[] bytes) throws ApiProblem {
        JsonNode value;
        try {
            value = STRICT.readTree(text(bytes));
        } catch (JacksonException e) {
            String where = e.getLocation() == null
                    ? ""
                    : " (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ")";
            throw new ApiProblem(
                    ApiCode.BODY_MALFORMED,
                    "The body is not one JSON value without repeated fields and at most " + DEEPEST + " levels deep"
                            + where + ". Nothing was done.");
        }
        if (!value.isObject()) {
            throw new ApiProblem(ApiCode.BODY_MALFORMED, "The body is not a JSON object. Nothing was done.");
        }
        return new JsonBody(value);
    }

    private static String text(byte[] bytes) throws ApiProblem {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ApiProblem(ApiCode.BODY_MALFORMED, "The body is not UTF-8. Nothing was done.");
        }
    }
}

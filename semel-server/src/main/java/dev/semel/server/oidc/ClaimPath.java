package dev.semel.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a claim is: a name at the top, or a JSON pointer such as {@code /realm_access/roles}. */
record ClaimPath(List<String> names) {
    static ClaimPath of(String text) {
        if (!text.startsWith("/")) {
            return new ClaimPath(List.of(text));
        }
        return new ClaimPath(Arrays.stream(text.substring(1).split("/", -1))
                .map(each -> each.replace("~1", "/").replace("~0", "~"))
                .toList());
    }

    private @Nullable Object find(JWTClaimsSet claims) {
        Object value = claims.getClaims();
        for (String name : names) {
            value = value instanceof Map<?, ?> object ? object.get(name) : null;
        }
        return value;
    }

    /** Null when there is no text. */
    @Nullable
    String text(JWTClaimsSet claims) {
        return find(claims) instanceof String text ? text : null;
    }

    /** The texts of a list, or the words of one text. */
    List<String> texts(JWTClaimsSet claims) {
        Object value = find(claims);
        if (value instanceof String text) {
            return Arrays.asList(text.strip().split(" +"));
        }
        List<String> texts = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(each -> {
                if (each instanceof String text) {
                    texts.add(text);
                }
            });
        }
        return texts;
    }
}

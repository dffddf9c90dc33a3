package dev.semel.server.config;

import dev.semel.SemelException;
import dev.semel.store.Stores;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The URL of the ledger. No message repeats it. */
record StoreUrl(ConfigSection all) {
    private static final Pattern USER_INFO = Pattern.compile("://(.*)@", Pattern.DOTALL);
    private static final Pattern PARAMETER =
            Pattern.compile("[?&](?:password|sslpassword|pass|pwd)=([^&]+)", Pattern.CASE_INSENSITIVE);

    Optional<String> read() {
        return all.text(ConfigSetting.STORE)
                .filter(text -> {
                    String problem = problem(text);
                    if (!problem.isEmpty()) {
                        all.fault(ConfigSetting.STORE, problem);
                    }
                    return problem.isEmpty();
                })
                .map(ConfigText::text);
    }

    private static String problem(ConfigText url) {
        if (hasLiteralPassword(url.masked())) {
            return "has a password that is written in the file: write ${env:NAME} or ${file:/path} in its place, such as"
                    + " postgresql://user:${env:DB_PASSWORD}@host/database";
        }
        try {
            Stores.installed().provider(url.text());
        } catch (SemelException.Misconfigured unknown) {
            return "is not the URL of a store: write sqlite:semel.db or postgresql://user:${env:DB_PASSWORD}@host/database";
        }
        try {
            if (url.text().contains("://")) {
                new URI(url.text().replaceFirst("^jdbc:", ""));
            }
            return "";
        } catch (URISyntaxException wrong) {
            return "is not a URL at position " + wrong.getIndex()
                    + ": percent-encode special characters of the user and the password";
        }
    }

    private static boolean hasLiteralPassword(String masked) {
        Matcher info = USER_INFO.matcher(masked);
        if (info.find()) {
            String[] userAndPassword = info.group(1).split(":", 2);
            if (userAndPassword.length == 2 && isLiteral(userAndPassword[1])) {
                return true;
            }
        }
        return PARAMETER.matcher(masked).results().anyMatch(found -> isLiteral(found.group(1)));
    }

    private static boolean isLiteral(String password) {
        return !password.isEmpty() && password.indexOf(ConfigText.REFERENCE) < 0;
    }
}

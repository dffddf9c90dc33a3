package dev.semel.server.routing;

import dev.semel.key.ValueCodec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of a fill, as it stands in the ledger.
 *
 * @param job names it through all its parts
 * @param part counts from 1
 * @param scope what is sent, and where to
 * @param perSecond at most so many a second; 0 for no limit
 * @param behind the place in the source's channel where the part before ended
 * @param sent how many the parts before sent
 */
record FillPart(String job, int part, FillScope scope, int perSecond, long behind, long sent)
        implements ValueCodec.Own {
    /**
     * In plain values.
     *
     * @param actor who began it
     */
    record FillScope(
            String from,
            String to,
            @Nullable String tenant,
            @Nullable Long sinceMillis,
            PlainCut cut,
            String actor) {
        static FillScope of(FillPreview preview, String actor) {
            FillRequest request = preview.request();
            return new FillScope(
                    request.from(),
                    request.to(),
                    request.tenant(),
                    request.since() == null ? null : request.since().toEpochMilli(),
                    new PlainCut(preview.cut().fence(), preview.cut().at().toEpochMilli(), preview.matched()),
                    actor);
        }

        FillRequest request() {
            return new FillRequest(from, to, tenant, sinceMillis == null ? null : Instant.ofEpochMilli(sinceMillis));
        }

        FillPreview.FillCut until() {
            return new FillPreview.FillCut(cut.fence, Instant.ofEpochMilli(cut.atMillis));
        }
    }

    /**
     * As {@link FillPreview.FillCut}, in plain values.
     *
     * @param matched how many there were to send
     */
    record PlainCut(long fence, long atMillis, long matched) {}
}

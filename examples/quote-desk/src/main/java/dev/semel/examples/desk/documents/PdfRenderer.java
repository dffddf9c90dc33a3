package dev.semel.examples.desk.documents;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.examples.desk.outbox.RenderJob;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;

/** Renders a document. The same job gives the same bytes: the file has no date and no random id. */
public class PdfRenderer {
    private static final float LEFT = 72;
    private static final float TOP = 760;
    private static final float LEADING = 20;

    /**
     * The bytes of the PDF.
     *
     * @throws Failure.Thrown of category {@code render} when another try may help, of {@code invalid_output} when it cannot
     */
    public byte[] render(RenderJob job) {
        PDFont plain = new PDType1Font(Standard14Fonts.FontName.HELVETICA);
        PDFont bold = new PDType1Font(Standard14Fonts.FontName.HELVETICA_BOLD);
        try (PDDocument document = new PDDocument();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
            document.setDocumentId(1L);
            PDPage page = new PDPage(PDRectangle.A4);
            document.addPage(page);
            try (PDPageContentStream content = new PDPageContentStream(document, page)) {
                content.beginText();
                content.setLeading(LEADING);
                content.newLineAtOffset(LEFT, TOP);
                content.setFont(bold, 18);
                content.showText(job.title());
                content.setFont(plain, 12);
                for (String line : job.lines()) {
                    content.newLine();
                    content.showText(line);
                }
                content.endText();
            }
            document.save(bytes);
            return bytes.toByteArray();
        } catch (IllegalArgumentException e) {
            Failure failure = Failure.of(Category.INVALID_OUTPUT, "The document cannot be rendered: " + e.getMessage());
            throw new Failure.Thrown(failure.withException(e), e);
        } catch (IOException e) {
            Failure failure = Failure.of(Category.RENDER, "The renderer failed: " + e.getMessage());
            throw new Failure.Thrown(failure.withException(e), e);
        }
    }
}

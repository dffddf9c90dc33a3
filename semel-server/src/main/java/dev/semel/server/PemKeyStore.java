package dev.semel.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a certificate chain and its key from PEM files. */
final class PemKeyStore {
    /** Of a store that exists in memory only. */
    static final String PASSWORD = "memory";

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");
    private static final int LARGEST_FILE = 1 << 20;

    private PemKeyStore() {}

    /** @throws GeneralSecurityException when a file does not hold what it should, or the key does not fit the certificate */
    static KeyStore read(Path certificate, Path key) throws IOException, GeneralSecurityException {
        Collection<? extends Certificate> chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(bytes(certificate)));
        if (chain.isEmpty()) {
            throw new CertificateException("The file " + certificate + " holds no certificate in PEM format.");
        }
        PrivateKey secret = key(key);
        demandPair(chain.iterator().next(), secret, key);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", secret, PASSWORD.toCharArray(), chain.toArray(Certificate[]::new));
        return store;
    }

    /** A renewal writes two files; one of them may be older than the other. */
    private static void demandPair(Certificate certificate, PrivateKey key, Path file) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "Ed25519";
        };
        byte[] sample = "semel".getBytes(StandardCharsets.US_ASCII);
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(sample);
        byte[] signed = signature.sign();
        boolean fits;
        try {
            signature.initVerify(certificate);
            signature.update(sample);
            fits = signature.verify(signed);
        } catch (InvalidKeyException | SignatureException e) {
            fits = false;
        }
        if (!fits) {
            throw new InvalidKeyException("The key in " + file + " does not belong to the certificate.");
        }
    }

    private static byte[] bytes(Path file) throws IOException {
        if (Files.size(file) > LARGEST_FILE) {
            throw new IOException("The file " + file + " is larger than a megabyte: it is not a certificate or a key.");
        }
        return Files.readAllBytes(file);
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        Matcher pem = KEY.matcher(new String(bytes(file), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new InvalidKeyException("The file " + file + " holds no unencrypted PKCS #8 key (BEGIN PRIVATE KEY)."
                    + " Convert it: openssl pkcs8 -topk8 -nocrypt -in KEY -out " + file.getFileName());
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                continue;
            }
        }
        throw new InvalidKeyException("The key in " + file + " is of an unknown kind: use RSA, EC or Ed25519.");
    }
}

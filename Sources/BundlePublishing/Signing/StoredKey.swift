import BundleStore
import BundleTrust
import Crypto
import Foundation

/// Runs the command by which a key store signs: it gets what is to be signed on its standard input, and the result is its standard
/// output. A program that runs commands gives it to ``KeyFolder``.
package typealias KeyStoreRun =
    @Sendable (_ command: String, _ payload: [UInt8], _ keyID: String) throws(BundleError) -> [UInt8]

/// A key in a key store, of which only the public half is known. A value type; safe to share between threads.
struct StoredKey: DocumentSigner {
    let publicKey: PublishedKey
    let command: String
    let run: KeyStoreRun

    /// - Throws: What the command's run throws; ``/BundleModel/BundleError`` with code `outputUnavailable` when what it has written is no
    ///   signature of this key.
    func signature(of payload: [UInt8]) throws(BundleError) -> String {
        let output = try run(command, payload, publicKey.id)
        guard let signature = Self.readings(of: output).first(where: { publicKey.key.isValid($0, of: payload) }) else {
            throw BundleError(
                .outputUnavailable,
                "what “\(Printable.line(command))” has written isn't a signature of the key \(publicKey.id.prefix(8)); check which key and "
                    + "which scheme it uses"
            )
        }
        return Hexadecimal.string(of: signature)
    }

    /// What the bytes may mean: key stores write a signature as it is, in hexadecimal digits or in Base64, and one of ECDSA also as its
    /// two numbers in place of DER.
    private static func readings(of output: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let base64 = Data(base64Encoded: text, options: .ignoreUnknownCharacters).map(Array.init)
        let written = [output, Hexadecimal.bytes(of: text), base64].compactMap(\.self)
        let numbers = written.compactMap { bytes in
            (try? P256.Signing.ECDSASignature(rawRepresentation: bytes)).map { Array($0.derRepresentation) }
        }
        return written + numbers
    }
}

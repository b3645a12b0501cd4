import BundleStore
import Crypto
import Foundation

/// The key by which a webhook's receiver knows that an event is genuine, after the Standard Webhooks specification, “Signature
/// scheme”, symmetric. A value type.
struct WebhookKey: Sendable {
    static let prefix = "whsec_"
    /// How many bytes it may have.
    private static let byteCounts = 24...64

    private let key: SymmetricKey

    /// Reads a secret as the specification has it: `whsec_` and 24 to 64 bytes in Base64; the prefix may lack. Nil for another text.
    init?(_ secret: String) {
        let text = secret.hasPrefix(Self.prefix) ? String(secret.dropFirst(Self.prefix.count)) : secret
        guard let bytes = Data(base64Encoded: text), Self.byteCounts.contains(bytes.count) else {
            return nil
        }
        key = SymmetricKey(data: bytes)
    }

    /// Reads a file whose first line is a secret.
    ///
    /// - Throws: `BundleError` as ``SecretFile/line(of:)``, and with code `invalidArgument` when it isn't a secret.
    init(file: String) throws(BundleError) {
        guard let key = WebhookKey(try SecretFile.line(of: file)) else {
            throw BundleError(
                .invalidArgument,
                "the first line of \(Printable.line(file)) isn't a webhook's secret: it must be whsec_ and "
                    + "\(Self.byteCounts.lowerBound) to \(Self.byteCounts.upperBound) bytes in Base64, such as "
                    + "“echo whsec_$(openssl rand -base64 32)” prints"
            )
        }
        self = key
    }

    /// The value of `webhook-signature`: version 1 of the scheme.
    ///
    /// - Parameters:
    ///   - identifier: The value of `webhook-id`.
    ///   - timestamp: The value of `webhook-timestamp`.
    func signature(of document: [UInt8], identifier: String, timestamp: String) -> String {
        let signed = Array("\(identifier).\(timestamp).".utf8) + document
        return "v1,"
            + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
    }
}

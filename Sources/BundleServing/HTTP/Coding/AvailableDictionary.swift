import BundleStore
import Foundation

/// The value of `Available-Dictionary` (RFC 9842 §2.2): the SHA-256 of the content that a client has.
package enum AvailableDictionary {
    /// Parses a byte sequence (RFC 9651 §3.3.5), `:` base64 `:`. Returns nil for anything else, and for another length
    /// than that of a digest.
    package static func digest(_ fieldValue: String) -> Digest? {
        let text = fieldValue.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        guard text.utf8.count >= 2, text.hasPrefix(":"), text.hasSuffix(":"),
            let bytes = Data(base64Encoded: String(text.dropFirst().dropLast()))
        else { return nil }
        return bytes.withUnsafeBytes { Digest(bytes: $0) }
    }
}

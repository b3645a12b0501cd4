import BundleStore
import Foundation

/// The secret that a server's dashboard is used with. A value type.
package struct AdminToken: Sendable, Equatable {
    private static let scheme = "Bearer "
    /// How many characters one may have that an operator has chosen.
    package static let lengths = 16...512

    let text: String

    /// One that an operator has chosen. Nil when its length isn't one of ``lengths``, or it has other characters than a field
    /// and a URL's fragment can have alike: letters, digits and `-._~+/`, with `=` at the end (RFC 6750 §2.1).
    package init?(_ text: String) {
        let core = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard Self.lengths.contains(text.utf8.count), !core.isEmpty,
            core.allSatisfy({ ASCII.isAlphanumeric($0) || "-._~+/".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// Makes one from the system's source of random numbers: 256 random bits in base64url (RFC 4648 §5), 43 characters.
    init() {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Whether a request has it, by the value of `Authorization` (RFC 6750 §2.1).
    ///
    /// The time tells nothing of the token: digests are compared, every byte of them.
    func isProven(by authorization: String?) -> Bool {
        guard let authorization, authorization.utf8.count <= Self.scheme.count + Self.lengths.upperBound,
            authorization.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
        else { return false }
        let given = Digest(of: Array(authorization.dropFirst(Self.scheme.count).utf8))
        let own = Digest(of: Array(text.utf8))
        return own.withUnsafeBytes { own in
            given.withUnsafeBytes { given in zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }
}

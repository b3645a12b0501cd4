import BundleStore
import Foundation

/// The secret that a server's dashboard is used with: 256 random bits, new at each start. A value type.
struct AdminToken: Sendable {
    private static let scheme = "Bearer "

    /// The token in base64url (RFC 4648 §5), 43 characters.
    let text: String

    /// Makes one from the system's source of random numbers.
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
        guard let authorization, authorization.utf8.count <= 128,
            authorization.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
        else { return false }
        let given = Digest(of: Array(authorization.dropFirst(Self.scheme.count).utf8))
        let own = Digest(of: Array(text.utf8))
        return own.withUnsafeBytes { own in
            given.withUnsafeBytes { given in zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }
}

import Foundation

/// A user and a password, for Basic authentication (RFC 7617). Its description has neither.
///
/// A value type; safe to share between threads.
package struct BasicCredential: Hashable, Sendable, CustomStringConvertible {
    /// The value of `Authorization` or `Proxy-Authorization`: a secret.
    package let fieldValue: String

    /// Nil when the user has a colon, or either has a control character (RFC 7617 §2).
    package init?(user: String, password: String) {
        let isText = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isText, !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        fieldValue = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    package var description: String { "a user and a password" }
}

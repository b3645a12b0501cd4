import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Decides who may see and change what the dashboard shows. Pure.
///
/// The token is sent in a field, which a browser adds to no request by itself; there are no cookies. So no other page can have
/// a browser do anything here. That the request comes from the dashboard's own page is checked all the same.
struct DashboardGate: Sendable {
    /// The token that counts now.
    let token: @Sendable () -> AdminToken
    /// The listener's scheme: `http` or `https`.
    let scheme: String

    /// The response to a request that isn't permitted; nil for one that is.
    func refusal(of request: HTTPRequest, _ call: DashboardCall) -> Response? {
        let fields = request.headerFields
        guard !isFromOtherPage(request) else {
            return .plain(.forbidden, "Only the dashboard's own page may ask this.")
        }
        guard token().isProven(by: fields[.authorization]) else {
            return .plain(
                .unauthorized,
                "The token is missing, or isn't this server's. The server prints it at its start: “dashboard at …#token=…”; "
                    + "or its operator has chosen one, and knows it.",
                fields: [.wwwAuthenticate: "Bearer realm=\"dashboard\""]
            )
        }
        guard request.method == call.method else {
            let allowed = call.method.rawValue
            return .plain(.methodNotAllowed, "Only \(allowed) is supported here.", fields: [.allow: allowed])
        }
        // A form of another site can't have this type.
        guard call.method == .get || fields[.contentType].flatMap(MediaType.init)?.essence == "application/json" else {
            return .plain(.unsupportedMediaType, "Send JSON, with Content-Type: application/json.")
        }
        return nil
    }

    private func isFromOtherPage(_ request: HTTPRequest) -> Bool {
        guard NavigationRequest.isFromSameSite(request) else { return true }
        // A browser that says so has compared the schemes, also that of a proxy with TLS.
        let isSameOrigin = NavigationRequest.isFromSameOrigin(request)
        return PageOrigin.isOther(request, scheme: isSameOrigin ? nil : scheme)
    }
}

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

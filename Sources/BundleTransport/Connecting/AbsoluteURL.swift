import BundleModel
import HTTPTypes

/// The target of a request: how to connect, and host and port for messages.
struct AbsoluteURL: Sendable {
    /// Whether the scheme is https.
    let isSecure: Bool
    /// Host and port as the request has them.
    let authority: String
    /// The host, an IPv6 address without its brackets.
    let host: String
    let port: Int

    /// `host:port`, with the port even when it is the scheme's default; for messages.
    let hostAndPort: String

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the scheme isn't http or https, when
    ///   there is no authority, or when its host has characters that no host has or its port is over 65535.
    init(of request: HTTPRequest) throws {
        guard let scheme = request.scheme?.lowercased(), let defaultPort = AbsoluteURL.defaultPorts[scheme],
            let authority = request.authority, !authority.isEmpty,
            let port = AbsoluteURL.port(of: authority, default: defaultPort), AbsoluteURL.isHost(port.host)
        else { throw AbsoluteURL.refusal(of: request) }
        isSecure = scheme == "https"
        self.authority = authority
        let isBracketed = port.host.hasPrefix("[") && port.host.hasSuffix("]")
        host = String(isBracketed ? port.host.dropFirst().dropLast() : port.host)
        self.port = Int(port.number)
        hostAndPort = "\(Printable.text(String(port.host))):\(port.number)"
    }

    /// The error for a request with an invalid URL.
    static func refusal(of request: HTTPRequest) -> BundleError {
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\((request.path ?? "/").prefix { $0 != "?" })"
        return BundleError(
            .invalidArgument,
            "can't request \(Printable.text(url)): use a URL with http:// or https://, a host and a port up to 65535"
        )
    }

    private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443]

    /// Whether it has only characters of a name or an address (RFC 3986 §3.2.2), and no user information.
    private static func isHost(_ host: Substring) -> Bool {
        !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"#%/<>?@\\^`{|}".utf8.contains($0) }
    }

    private static func port(of authority: String, default: UInt16) -> (host: Substring, number: UInt16)? {
        // An IPv6 address has colons of its own, inside brackets (RFC 3986 section 3.2.2).
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return (authority[...], `default`)
        }
        let digits = authority[colon...].dropFirst()
        guard let number = digits.isEmpty ? `default` : UInt16(digits) else { return nil }
        return (authority[..<colon], number)
    }
}

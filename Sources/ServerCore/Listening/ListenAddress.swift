import BundleModel

/// An address that a server listens on. A value type; safe to share between threads.
public enum ListenAddress: Sendable, Hashable {
    /// A TCP port. The host is an IP address, or a name, which means all of its addresses; an IPv6 address has no
    /// brackets. The port is 0 to 65535; 0 picks a free one.
    case tcp(host: String, port: Int)
    /// A Unix domain socket at this path.
    case unix(path: String)
    /// The sockets that the service manager passed to the process (sd_listen_fds(3)): those with this name, or all.
    case inherited(name: String?)

    /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, `unix:/run/bundles.sock`, `systemd` or `systemd:NAME`.
    /// Returns nil for anything else, including a missing host or port: the addresses to which a server is open are
    /// never guessed.
    public init?(_ text: String) {
        if let path = text.suffix(after: "unix:") {
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path: String(path))
        } else if text == "systemd" {
            self = .inherited(name: nil)
        } else if let name = text.suffix(after: "systemd:") {
            guard !name.isEmpty else { return nil }
            self = .inherited(name: String(name))
        } else {
            self.init(hostAndPort: text)
        }
    }

    private init?(hostAndPort text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = Self.port(text[text.index(after: colon)...]),
            let host = Self.host(text[..<colon])
        else { return nil }
        self = .tcp(host: host, port: port)
    }

    private static func port(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(ASCII.isDigit) ? UInt16(text).map(Int.init) : nil
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = text.dropFirst().dropLast()
            // A zone (RFC 4007 §11) may follow the address: fe80::1%eth0.
            let digits = address.prefix { $0 != "%" }
            guard digits.contains(":"), digits.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." })
            else { return nil }
            return String(address)
        }
        let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        return isName && !text.isEmpty ? String(text) : nil
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The address as ``init(_:)`` reads it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .inherited(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}

extension String {
    fileprivate func suffix(after prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

/// Where a server listens: a host and a port. A value type; safe to share between threads.
public struct ListenAddress: Sendable, Hashable {
    /// An IP address or a host name; an IPv6 address is without its brackets.
    public let host: String
    /// The port, 0 to 65535; 0 picks one that is free.
    public let port: Int

    /// Takes a host and a port as they are.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `127.0.0.1:8080`, `[::1]:8080` or `localhost:0`. Returns nil for anything else, a missing host or port
    /// included: which addresses a server is open to is never guessed.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = Self.port(text[text.index(after: colon)...]),
            let host = Self.host(text[..<colon])
        else { return nil }
        self.init(host: host, port: port)
    }

    private static func port(_ text: Substring) -> Int? {
        let isDecimal = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isDecimal ? UInt16(text).map(Int.init) : nil
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
    /// `host:port` as ``init(_:)`` reads it.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

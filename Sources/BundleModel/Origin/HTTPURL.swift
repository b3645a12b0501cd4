/// An absolute `http` or `https` URL, split into its parts (RFC 9110 §4.2, RFC 3986 §3) without any repair:
/// Foundation's parser encodes, drops or accepts what a client may read differently.
package struct HTTPURL {
    package let scheme: OriginURL.Scheme
    /// In lower case, an IPv6 address with its brackets.
    package let host: String
    /// Nil when absent or the scheme's default.
    package let port: Int?
    /// Empty or starting with a slash, still percent-encoded.
    package let path: Substring.UTF8View
    /// The path, and the query with its question mark.
    package let target: Substring.UTF8View
    package let hasQuery: Bool
    package let hasFragment: Bool

    /// Throws for the first rule that `string` breaks.
    package init(_ string: String) throws(OriginURLError) {
        var text = string
        switch text.withUTF8(HTTPURL.parse) {
        case .refused(let reason): throw OriginURLError(url: string, reason: reason)
        case .parts(let parts):
            func slice(_ range: Range<Int>) -> Substring.UTF8View {
                let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
                return text.utf8[start..<text.utf8.index(start, offsetBy: range.count)]
            }
            scheme = parts.scheme
            host = parts.host
            port = parts.port == parts.scheme.defaultPort ? nil : parts.port
            path = slice(parts.path)
            target = slice(parts.target)
            hasQuery = parts.path.upperBound < parts.target.upperBound
            hasFragment = parts.target.upperBound < text.utf8.count
        }
    }

    private struct Parts {
        let scheme: OriginURL.Scheme
        let host: String
        let port: Int
        let path: Range<Int>
        let target: Range<Int>
    }

    private enum Parsed {
        case parts(Parts)
        case refused(OriginURLError.Reason)
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// From memory, because it is done for each request.
    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Parsed {
        guard let (scheme, start) = scheme(of: bytes) else { return .refused(.notHTTP) }
        guard bytes.allSatisfy(isAllowed) else { return .refused(.character) }
        let authority = bytes[start...].prefix { !endsAuthority($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { return .refused(.userInformation) }
        let (host, digits) = split(authority)
        guard host.allSatisfy({ $0 < 0x80 }) else { return .refused(.hostNotASCII) }
        guard isHost(host) else { return .refused(.host) }
        guard let port = number(ofPort: digits, default: scheme.defaultPort) else { return .refused(.port) }
        let target = bytes[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return .parts(
            Parts(
                scheme: scheme,
                host: String(decoding: host, as: UTF8.self).lowercased(),
                port: port,
                path: path.startIndex..<path.endIndex,
                target: target.startIndex..<target.endIndex
            )
        )
    }

    /// The scheme, and where the authority begins.
    private static func scheme(of bytes: UnsafeBufferPointer<UInt8>) -> (OriginURL.Scheme, Int)? {
        guard let colon = bytes.prefix(6).firstIndex(of: UInt8(ascii: ":")),
            let scheme = OriginURL.Scheme(rawValue: String(decoding: bytes[..<colon], as: UTF8.self).lowercased()),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        return (scheme, colon + 3)
    }

    /// Excludes the bytes that RFC 3986 doesn't allow; those above ASCII are checked with the parts (RFC 3987).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "\0"..." ", "\u{7F}", "\"", "<", ">", "\\", "^", "`", "{", "|", "}": false
        default: true
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "/", "?", "#": true
        default: false
        }
    }

    private static func split(_ authority: Bytes) -> (host: Bytes, port: Bytes?) {
        // The colons inside an IPv6 address don't precede a port.
        let addressEnd = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[addressEnd...].firstIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (authority[..<colon], authority[(colon + 1)...])
    }

    private static func isHost(_ host: Bytes) -> Bool {
        guard host.count <= 253 else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            let address = host.dropFirst().dropLast()
            return address.count { $0 == UInt8(ascii: ":") } >= 2 && address.allSatisfy(isAddressByte)
        }
        var rest = host
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            guard isLabel(rest[..<dot]) else { return false }
            rest = rest[(dot + 1)...]
        }
        return isLabel(rest)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Hexadecimal.value(of: byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isLabel(_ label: Bytes) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// An empty port is the default port (RFC 3986 §3.2.3).
    private static func number(ofPort port: Bytes?, default defaultPort: Int) -> Int? {
        guard let port, !port.isEmpty else { return defaultPort }
        guard port.count <= 5, port.allSatisfy(ASCII.isDigit) else { return nil }
        let number = port.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (1...65_535).contains(number) ? number : nil
    }
}

extension HTTPURL {
    /// Whether nothing follows the host and port, as in the URL of a `Host` field's value (RFC 9110 §7.2).
    package var endsWithAuthority: Bool { path.isEmpty && !hasQuery && !hasFragment }
}

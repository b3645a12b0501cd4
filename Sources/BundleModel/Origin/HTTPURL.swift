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
    package let hasQuery: Bool
    package let hasFragment: Bool

    /// Throws for the first rule that `string` breaks.
    package init(_ string: String) throws(OriginURLError) {
        func refused(_ reason: OriginURLError.Reason) -> OriginURLError { OriginURLError(url: string, reason: reason) }
        guard let (scheme, rest) = HTTPURL.scheme(of: string) else { throw refused(.notHTTP) }
        guard string.utf8.allSatisfy(HTTPURL.isAllowed) else { throw refused(.character) }

        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { throw refused(.userInformation) }
        let (host, port) = HTTPURL.split(authority)
        guard host.allSatisfy({ $0 < 0x80 }) else { throw refused(.hostNotASCII) }
        guard HTTPURL.isHost(host) else { throw refused(.host) }
        guard let number = HTTPURL.number(ofPort: port, default: scheme.defaultPort) else { throw refused(.port) }

        let hierarchy = rest[authority.endIndex...]
        let beforeFragment = hierarchy.prefix { $0 != UInt8(ascii: "#") }
        let path = beforeFragment.prefix { $0 != UInt8(ascii: "?") }
        self.scheme = scheme
        self.host = String(Substring(host)).lowercased()
        self.port = number == scheme.defaultPort ? nil : number
        self.path = path
        hasQuery = path.endIndex != beforeFragment.endIndex
        hasFragment = beforeFragment.endIndex != hierarchy.endIndex
    }

    private static func scheme(of string: String) -> (OriginURL.Scheme, Substring.UTF8View)? {
        let name = string.utf8.prefix { $0 != UInt8(ascii: ":") }
        let rest = string.utf8[name.endIndex...]
        guard let scheme = OriginURL.Scheme(rawValue: Substring(name).lowercased()), rest.starts(with: "://".utf8)
        else { return nil }
        return (scheme, rest.dropFirst(3))
    }

    /// Excludes the bytes that RFC 3986 doesn't allow; those above ASCII are checked with the parts (RFC 3987).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func split(_ authority: Substring.UTF8View) -> (host: Substring.UTF8View, port: Substring.UTF8View?)
    {
        // The colons inside an IPv6 address don't precede a port.
        let addressEnd = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[addressEnd...].firstIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isHost(_ host: Substring.UTF8View) -> Bool {
        guard host.count <= 253 else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            let address = host.dropFirst().dropLast()
            return address.count { $0 == UInt8(ascii: ":") } >= 2 && address.allSatisfy(isAddressByte)
        }
        return host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Hexadecimal.value(of: byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// An empty port is the default port (RFC 3986 §3.2.3).
    private static func number(ofPort port: Substring.UTF8View?, default defaultPort: Int) -> Int? {
        guard let port, !port.isEmpty else { return defaultPort }
        // Int would accept a sign.
        guard port.allSatisfy(ASCII.isDigit), port.count <= 5,
            let number = Int(Substring(port)), (1...65_535).contains(number)
        else { return nil }
        return number
    }
}

/// The five parts of a URL reference (RFC 3986 appendix B), as they are written.
struct URLParts: Hashable, Sendable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    init(scheme: String?, authority: String?, path: String, query: String?, fragment: String?) {
        (self.scheme, self.authority, self.path, self.query, self.fragment) = (scheme, authority, path, query, fragment)
    }

    /// Nil for a text with a character that no URL has.
    init?(_ text: String) {
        guard Self.isWellFormed(text) else { return nil }
        var rest = text[...]
        fragment = Self.cut(&rest, from: "#")
        query = Self.cut(&rest, from: "?")
        let head = rest.prefix { $0 != "/" }
        if let colon = head.firstIndex(of: ":") {
            let name = head[..<colon]
            guard let first = name.utf8.first, Self.isLetter(first), name.utf8.allSatisfy(Self.isOfScheme) else { return nil }
            scheme = String(name)
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            let name = rest.dropFirst(2).prefix { $0 != "/" }
            authority = String(name)
            rest = rest[name.endIndex...]
        }
        path = String(rest)
    }

    /// The text (RFC 3986 §5.3).
    var text: String {
        (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
            + (fragment.map { "#\($0)" } ?? "")
    }

    /// RFC 3986 §5.2.2.
    func resolved(against base: URLParts) -> URLParts {
        var target = self
        if scheme != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.hasPrefix("/") {
            target.path = Self.withoutDots(path)
        } else {
            target.path = Self.withoutDots(base.merged(with: path))
        }
        return target
    }

    /// RFC 3986 §5.2.3.
    private func merged(with reference: String) -> String {
        if authority != nil, path.isEmpty { return "/" + reference }
        return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + reference
    }

    /// RFC 3986 §5.2.4.
    static func withoutDots(_ path: String) -> String {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard components.contains(".") || components.contains("..") else { return path }
        let isAbsolute = path.hasPrefix("/")
        var kept: [Substring] = []
        for component in components.dropFirst(isAbsolute ? 1 : 0) {
            switch component {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(component)
            }
        }
        if components.last == "." || components.last == ".." { kept.append("") }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }

    /// Percent-decoded, as far as that is UTF-8.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? text
    }

    private static func cut(_ rest: inout Substring, from mark: Character) -> String? {
        guard let start = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<start] }
        return String(rest[rest.index(after: start)...])
    }

    /// Whether each character may be in a URL, and each percent sign begins an encoded byte (RFC 3986 §2).
    private static func isWellFormed(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            switch bytes[index] {
            case UInt8(ascii: "%"):
                bytes[(index + 1)...].prefix(2).count == 2 && bytes[(index + 1)...].prefix(2).allSatisfy(isHexadecimal)
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), ...0x20, 0x7F...: false
            default: true
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
    private static func isOfScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
    }
}

import BundleStore
import HTTPCore

/// The users and passwords for publishers' servers, by host. They are sent with requests for feeds, and for what feeds
/// name, to their own host alone: over `https`, or to this machine.
///
/// A value type; safe to share between threads.
public struct FeedCredentials: Sendable {
    /// None.
    public static let none = FeedCredentials()

    /// By host in lower case.
    private let credentials: [String: BasicCredential]
    /// Whether the file has one for all other hosts, which isn't used: a feed may name any host.
    package let hasDefault: Bool

    private init() {
        (credentials, hasDefault) = ([:], false)
    }

    /// Reads a file as curl(1) and git(1) have it, `.netrc`: `machine HOST login USER password PASSWORD`. Of several entries
    /// for a host the first counts. `default` is ignored, and so are `account` and `macdef`.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it has another form. The message has nothing
    ///   of the file's contents.
    public init(netrc text: String) throws(BundleError) {
        var reader = NetrcReader(text)
        try reader.read()
        (credentials, hasDefault) = (reader.credentials, reader.hasDefault)
    }

    /// The credential for a request; nil when there is none, or when it isn't sent.
    package func credential(for target: OriginTarget) -> BasicCredential? {
        guard !credentials.isEmpty, let url = try? HTTPURL(target.origin),
            url.scheme == .https || NetworkScope(ofHost: url.host) == .loopback
        else { return nil }
        return credentials[url.host]
    }
}

/// Reads a `.netrc` (ftp(1), curl(1)): words that blanks and line ends separate, in quotation marks if need be, with comments
/// at the beginnings of lines.
struct NetrcReader {
    private(set) var credentials: [String: BasicCredential] = [:]
    private(set) var hasDefault = false

    private var rest: Substring
    private var line = 1
    private var host: String?
    private var login: String?
    private var password: String?

    init(_ text: String) {
        // A line end of two characters is one Character.
        rest = text.replacing("\r\n", with: "\n")[...]
    }

    mutating func read() throws(BundleError) {
        while let word = try next() {
            switch word {
            case "machine":
                try finish()
                host = try value(of: word).lowercased()
            case "default":
                try finish()
                hasDefault = true
            case "login": login = try value(of: word)
            case "password": password = try value(of: word)
            case "account": _ = try value(of: word)
            case "macdef": skipMacro()
            default:
                throw refusal("has a word that is none of machine, default, login, password, account and macdef")
            }
        }
        try finish()
    }

    /// Takes what has been read of an entry.
    private mutating func finish() throws(BundleError) {
        defer { (host, login, password) = (nil, nil, nil) }
        guard let host, login != nil || password != nil, credentials[host] == nil else { return }
        guard let credential = BasicCredential(user: login ?? "", password: password ?? "") else {
            throw refusal("ends an entry whose login has a colon, or which has control characters")
        }
        credentials[host] = credential
    }

    private mutating func value(of word: String) throws(BundleError) -> String {
        guard let value = try next() else { throw refusal("has nothing behind “\(word)”") }
        return value
    }

    /// The next word; nil at the end.
    private mutating func next() throws(BundleError) -> String? {
        var isLineStart = line == 1 && rest.startIndex == rest.base.startIndex
        while let character = rest.first {
            if character.isNewline {
                line += 1
                isLineStart = true
            } else if character == "#", isLineStart {
                rest = rest.drop { !$0.isNewline }
                continue
            } else if !character.isWhitespace {
                return character == "\"" ? try quoted() : plain()
            }
            rest.removeFirst()
        }
        return nil
    }

    private mutating func plain() -> String {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...]
        return String(word)
    }

    /// With the escapes of curl(1).
    private mutating func quoted() throws(BundleError) -> String {
        rest.removeFirst()
        var word = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return word
            case "\\": word += rest.popFirst().map(Self.unescaped) ?? ""
            case _ where character.isNewline: throw refusal("has a quotation mark that isn't closed")
            default: word.append(character)
            }
        }
        throw refusal("has a quotation mark that isn't closed")
    }

    private static func unescaped(_ character: Character) -> String {
        switch character {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default: String(character)
        }
    }

    /// A macro ends with an empty line.
    private mutating func skipMacro() {
        guard let end = rest.firstRange(of: "\n\n") else {
            rest = rest[rest.endIndex...]
            return
        }
        line += rest[..<end.upperBound].count { $0 == "\n" }
        rest = rest[end.upperBound...]
    }

    private func refusal(_ problem: String) -> BundleError { BundleError(.invalidArgument, "line \(line) \(problem)") }
}

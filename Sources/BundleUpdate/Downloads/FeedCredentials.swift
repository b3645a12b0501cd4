import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// What publishers' servers want to see: users and passwords by host, and header fields by origin. They are sent with requests
/// for feeds, and for what feeds name, to their own host or origin alone: over `https`, or to this machine.
///
/// Its description has none of them. A value type; safe to share between threads.
public struct FeedCredentials: Sendable {
    /// None.
    public static let none = FeedCredentials()

    /// By host in lower case.
    private let credentials: [String: BasicCredential]
    /// By origin, as ``/HTTPCore/OriginTarget/origin`` has it. They count before the passwords.
    private var fields: [String: HTTPFields] = [:]
    /// Whether the file has one for all other hosts, which isn't used: a feed may name any host.
    package let hasDefault: Bool

    private init() {
        self.init([:], hasDefault: false)
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

    /// Takes header fields by origin, such as `["https://get.example.com": ["Authorization": "Bearer …"]]`: for tokens, and
    /// for hosts that want a field of another name. A client's certificate belongs to the network, see
    /// ``/BundleTransport/ClientIdentity``.
    ///
    /// - Parameter fields: Up to 16 fields for each origin, which has a scheme and a host, and no path. Over `http` it has to
    ///   be this machine.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for an origin that is none, and for a field that
    ///   isn't one, or that requests have for themselves, such as `Host` and `Range`. The message has no value.
    public init(fields: [String: [String: String]]) throws(BundleError) {
        self.init()
        for (origin, named) in fields {
            let origin = try CredentialOrigin(origin)
            guard named.count <= CredentialOrigin.maximumFieldCount else {
                throw origin.refusal("has over \(CredentialOrigin.maximumFieldCount) fields")
            }
            for (name, value) in named {
                let name = try origin.name(name, value)
                self.fields[origin.key, default: [:]][name] = value
            }
        }
    }

    /// Both; the fields of the other ones count before these.
    package func adding(_ other: FeedCredentials) -> FeedCredentials {
        var both = FeedCredentials(
            credentials.merging(other.credentials) { $1 },
            hasDefault: hasDefault || other.hasDefault
        )
        both.fields = fields.merging(other.fields) { $1 }
        return both
    }

    private init(_ credentials: [String: BasicCredential], hasDefault: Bool) {
        (self.credentials, self.hasDefault) = (credentials, hasDefault)
    }

    /// The fields for a request; empty when there are none, or when they aren't sent.
    package func fields(for target: OriginTarget) -> HTTPFields {
        guard !credentials.isEmpty || !fields.isEmpty, let url = try? HTTPURL(target.origin),
            url.scheme == .https || NetworkScope(ofHost: url.host) == .loopback
        else { return [:] }
        if let fields = fields[target.origin] { return fields }
        return credentials[url.host].map { [.authorization: $0.fieldValue] } ?? [:]
    }
}

extension FeedCredentials: CustomStringConvertible, CustomReflectable {
    /// How many there are.
    public var description: String { "credentials for \(credentials.count) hosts and \(fields.count) origins" }

    /// Without children: a debugger's and a log's view of what contains them has no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An origin for which there are credentials, and what they may be. A value type.
package struct CredentialOrigin {
    static let maximumFieldCount = 16
    static let maximumValueByteCount = 16 << 10
    /// What requests say of themselves, in lower case.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-authorization", "range", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent",
    ]

    let key: String
    /// The host, without the port.
    package let host: String
    package let port: Int
    package let isSecure: Bool

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a text that is no origin, and for one of another
    ///   machine without TLS.
    package init(_ text: String) throws(BundleError) {
        guard let origin = try? OriginURL(text), origin.components.isEmpty, let target = OriginTarget(text) else {
            throw BundleError(
                .invalidArgument,
                "“\(URL.reported(String(text.prefix(256))))” is not an origin: write a scheme and a host, such as "
                    + "https://get.example.com"
            )
        }
        guard origin.scheme == .https || NetworkScope(ofHost: origin.host) == .loopback else {
            throw BundleError(
                .invalidArgument,
                "\(target.origin) would get a credential in clear text; name the origin with https"
            )
        }
        (key, host, isSecure) = (target.origin, origin.host, origin.scheme == .https)
        port = origin.port ?? origin.scheme.defaultPort
    }

    func refusal(_ problem: String) -> BundleError { BundleError(.invalidArgument, "\(key): \(problem)") }

    /// The name of a field that may be sent.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument`.
    func name(_ text: String, _ value: String) throws(BundleError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw refusal("“\(Printable.text(String(text.prefix(256))))” is not the name of a header field")
        }
        guard !Self.reserved.contains(name.canonicalName) else {
            throw refusal("\(name) is a field that requests have for themselves; leave it out")
        }
        guard !value.isEmpty, value.utf8.count <= Self.maximumValueByteCount, HTTPSyntax.isFieldValue(value) else {
            throw refusal("the value of \(name) is empty, too long, or has other characters than printable ASCII")
        }
        return name
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

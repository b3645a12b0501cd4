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

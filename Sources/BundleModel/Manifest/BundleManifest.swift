/// What `bundle.json` at an archive's root says about a release. A value type; safe to share between threads.
public struct BundleManifest: Equatable, Sendable {
    /// The manifest's path in an archive.
    public static let fileName = "bundle.json"
    /// The longest manifest in bytes.
    public static let maximumByteCount = 1 << 20
    /// The entry page when the manifest names none: `index.html`.
    public static let defaultEntry = BundlePath(valid: "index.html")
    /// The channel when the manifest names none: `stable`.
    public static let defaultChannel = "stable"
    /// How many ``forwardedFields`` there may be.
    static let maximumForwardedFieldCount = 32

    /// The bundle's name.
    public let name: BundleName
    /// The release's version.
    public let version: BundleVersion
    /// The URL prefixes that the bundle answers for; empty when it is only served under its name.
    public let origins: [OriginMapping]
    /// The page that opens first.
    public let entry: BundlePath
    /// What answers navigations to client-side routes, or nil when a missing page is missing.
    public let fallback: RouteFallback?
    /// The page that answers a navigation when there is neither a file, nor a network, nor a copy.
    public let offlinePage: BundlePath?
    /// Header fields by path, ordered from the general pattern to the specific. Every rule that matches applies; where
    /// two set the same field, the later, more specific one wins. See ``headerFields(for:)``.
    public let headers: [HeaderRule]
    /// ``headers`` without the fields that a bundle may not set.
    private let sentHeaders: [HeaderRule]
    /// Media types by file extension: lower case, without the dot.
    public let mediaTypes: [String: String]
    /// The request fields that clients may send to origins although only proxies should send them, such as
    /// `X-Forwarded-For`.
    public let forwardedFields: [String]
    /// The absolute URL of the publisher's feed, or nil when the bundle isn't updated from one.
    public let feed: String?
    /// The feed's channel to follow.
    public let channel: String
    /// The patterns of ``headers``, in the same order.
    private let headerPatterns: PathPatternSet

    /// Makes a manifest, for an archive that has none.
    ///
    /// `mediaTypes`, `forwardedFields`, `feed` and `channel` are taken as they are; ``parse(_:)`` is what checks them.
    public init(
        name: BundleName,
        version: BundleVersion,
        origins: [OriginMapping],
        entry: BundlePath = BundleManifest.defaultEntry,
        fallback: RouteFallback? = nil,
        offlinePage: BundlePath? = nil,
        headers: [HeaderRule] = [],
        mediaTypes: [String: String] = [:],
        forwardedFields: [String] = [],
        feed: String? = nil,
        channel: String = BundleManifest.defaultChannel
    ) {
        self.name = name
        self.version = version
        self.origins = origins
        self.entry = entry
        self.fallback = fallback
        self.offlinePage = offlinePage
        self.headers = HeaderRule.ordered(headers)
        sentHeaders = self.headers.map(\.withoutOriginWideFields)
        headerPatterns = PathPatternSet(self.headers.map(\.pattern))
        self.mediaTypes = mediaTypes
        self.forwardedFields = forwardedFields
        self.feed = feed
        self.channel = channel
    }

    /// The header fields that the rules set for the file at `path`, ordered by name; no name appears twice. Those of
    /// ``OriginWideField`` are left out. For the files of a release ``Asset/headerFields`` remembers them.
    public func headerFields(for path: BundlePath) -> [HeaderField] {
        headerFields(ofRules: headerRules(for: path))
    }

    /// The positions in ``headers`` of the rules that apply to the file at `path`.
    package func headerRules(for path: BundlePath) -> [Int] { headerPatterns.places(covering: path) }

    /// Whether ``headerRules(for:)`` takes microseconds for a path of `byteCount` bytes.
    package func hasQuickHeaders(forPathOf byteCount: Int) -> Bool { headerPatterns.isQuick(forPathOf: byteCount) }

    /// The fields that the rules at these positions in ``headers`` set together.
    package func headerFields(ofRules places: [Int]) -> [HeaderField] {
        HeaderRule.merged(places.map { sentHeaders[$0].fields })
    }

    /// Whether `text` may name a channel: a token (RFC 9110 §5.6.2) of at most 64 bytes.
    package static func isChannel(_ text: String) -> Bool {
        HTTPSyntax.isToken(text) && text.utf8.count <= 64
    }
}

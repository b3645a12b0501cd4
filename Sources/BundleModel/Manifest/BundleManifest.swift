/// The content of `bundle.json` at an archive's root, which describes a release. There is none that breaks a rule of
/// ``parse(_:)``, except those of a store that was written before the rule.
///
/// A value type; safe to share between threads.
public struct BundleManifest: Equatable, Sendable {
    /// The manifest's path in an archive.
    public static let fileName = "bundle.json"
    /// The maximum length of a manifest in bytes.
    public static let maximumByteCount = 1 << 20
    /// The entry page when the manifest names none: `index.html`.
    public static let defaultEntry = BundlePath(valid: "index.html")
    /// The channel when the manifest names none: `stable`.
    public static let defaultChannel = "stable"
    /// The maximum number of ``forwardedFields``.
    static let maximumForwardedFieldCount = 32
    /// The maximum number of ``ignoredParameters``.
    static let maximumIgnoredParameterCount = 32

    /// The bundle's name.
    public let name: BundleName
    /// The release's version.
    public private(set) var version: BundleVersion
    /// The URL prefixes that the bundle serves; empty when it is only served under its name.
    public let origins: [OriginMapping]
    /// The page that is opened first.
    public let entry: BundlePath
    /// The page served for navigations to client-side routes; nil to respond with "not found".
    public let fallback: RouteFallback?
    /// The page served for a navigation when there is no file, no network, and no cached copy.
    public let offlinePage: BundlePath?
    /// Header fields by path, ordered from the general pattern to the specific. Every matching rule applies; when two
    /// set the same field, the later, more specific one wins. See ``headerFields(for:)``.
    public let headers: [HeaderRule]
    /// The files whose content never changes under their names; nil to detect names with a hash in them.
    public let immutable: [PathPattern]?
    /// ``headers`` without the fields that a bundle may not set.
    private let sentHeaders: [HeaderRule]
    /// Media types by file extension: lower case, without the dot.
    public let mediaTypes: [String: String]
    /// The request fields that clients may send to origins although only proxies should set them, such as
    /// `X-Forwarded-For`.
    public let forwardedFields: [String]
    /// Whether an endpoint tells the origins the address that a client has asked for, in `X-Forwarded-Host`, `-Proto` and
    /// `-Prefix`: for apps that write their own address into their pages.
    public let forwardsAddress: Bool
    /// The query parameters that don't count when a response is looked up in the cache, such as `utm_*`: URLs that
    /// differ in them alone have one stored response. Origins get them nevertheless.
    public let ignoredParameters: [ParameterPattern]
    /// The rules for requests that the bundle lacks, and the URLs that are fetched ahead.
    package let network: NetworkRules
    /// The absolute URL of the publisher's feed, or nil when the bundle has none.
    public let feed: String?
    /// The feed's channel to follow.
    public let channel: String
    /// What the release asks for before it counts as one that works; nil when it asks for nothing.
    public let health: HealthTerms?
    /// Whether pages of the active release may have an endpoint update the bundle, and activate what is installed.
    public let pagesMayUpdate: Bool
    /// The patterns of ``headers``, in the same order.
    private let headerPatterns: PathPatternSet
    /// The patterns of ``immutable``.
    private let immutablePatterns: PathPatternSet

    /// Makes a manifest of what the parser has read and checked.
    init(
        parsed name: BundleName,
        version: BundleVersion,
        origins: [OriginMapping],
        entry: BundlePath,
        fallback: RouteFallback?,
        offlinePage: BundlePath?,
        headers: [HeaderRule],
        immutable: [PathPattern]? = nil,
        mediaTypes: [String: String],
        forwardedFields: [String],
        forwardsAddress: Bool = false,
        ignoredParameters: [ParameterPattern],
        network: NetworkRules = NetworkRules(),
        feed: String?,
        channel: String,
        health: HealthTerms? = nil,
        pagesMayUpdate: Bool = false
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
        self.immutable = immutable
        immutablePatterns = PathPatternSet(immutable ?? [])
        self.mediaTypes = mediaTypes
        self.forwardedFields = forwardedFields
        self.forwardsAddress = forwardsAddress
        self.ignoredParameters = ignoredParameters
        self.network = network
        self.feed = feed
        self.channel = channel
        self.health = health
        self.pagesMayUpdate = pagesMayUpdate
    }

    /// Makes a manifest for an archive without one, by the rules of ``parse(_:)``: the extensions of `mediaTypes` are in
    /// lower case, without the dot; `forwardedFields` are the names of request fields; `feed` is an absolute URL without
    /// a fragment; `channel` is a token (RFC 9110 §5.6.2) of at most 64 bytes.
    ///
    /// - Throws: ``BundleError`` with code `invalidManifest`, as ``parse(_:)`` does.
    public init(
        name: BundleName,
        version: BundleVersion,
        origins: [OriginMapping],
        entry: BundlePath = BundleManifest.defaultEntry,
        fallback: RouteFallback? = nil,
        offlinePage: BundlePath? = nil,
        headers: [HeaderRule] = [],
        immutable: [PathPattern]? = nil,
        mediaTypes: [String: String] = [:],
        forwardedFields: [String] = [],
        forwardsAddress: Bool = false,
        ignoredParameters: [ParameterPattern] = [],
        feed: String? = nil,
        channel: String = BundleManifest.defaultChannel,
        health: HealthTerms? = nil,
        pagesMayUpdate: Bool = false
    ) throws(BundleError) {
        let manifest = BundleManifest(
            parsed: name,
            version: version,
            origins: origins,
            entry: entry,
            fallback: fallback,
            offlinePage: offlinePage,
            headers: headers,
            immutable: immutable,
            mediaTypes: mediaTypes,
            forwardedFields: forwardedFields,
            forwardsAddress: forwardsAddress,
            ignoredParameters: ignoredParameters,
            feed: feed,
            channel: channel,
            health: health,
            pagesMayUpdate: pagesMayUpdate
        )
        self = try Self.parse(manifest.encoded()).manifest
    }

    /// The same rules for another version.
    package func with(version: BundleVersion) -> BundleManifest {
        var manifest = self
        manifest.version = version
        return manifest
    }

    /// Whether ``immutable`` names the file at `path`.
    package func declaresImmutable(_ path: BundlePath) -> Bool { immutablePatterns.covers(path) }

    /// The header fields that the rules set for the file at `path`, ordered by name; no name appears twice. Those of
    /// `OriginWideField` are left out. For the files of a release, `Asset.headerFields` caches them.
    public func headerFields(for path: BundlePath) -> [HeaderField] {
        headerFields(ofRules: headerRules(for: path))
    }

    /// The positions in ``headers`` of the rules that apply to the file at `path`.
    package func headerRules(for path: BundlePath) -> [Int] { headerPatterns.places(covering: path) }

    /// The patterns of ``headers`` that cover none of the files.
    package func unusedHeaderPatterns(among paths: some Sequence<BundlePath>) -> [PathPattern] {
        headerPatterns.unused(among: paths)
    }

    /// The patterns of ``immutable`` that cover none of the files.
    package func unusedImmutablePatterns(among paths: some Sequence<BundlePath>) -> [PathPattern] {
        immutablePatterns.unused(among: paths)
    }

    /// Whether ``headerRules(for:)`` takes only microseconds for a path of `byteCount` bytes.
    package func hasQuickHeaders(forPathOf byteCount: Int) -> Bool { headerPatterns.isQuick(forPathOf: byteCount) }

    /// The combined fields of the rules at these positions in ``headers``.
    package func headerFields(ofRules places: [Int]) -> [HeaderField] {
        HeaderRule.merged(places.map { sentHeaders[$0].fields })
    }

    /// Whether `text` may name a channel: a token (RFC 9110 §5.6.2) of at most 64 bytes.
    package static func isChannel(_ text: String) -> Bool {
        HTTPSyntax.isToken(text) && text.utf8.count <= 64
    }
}

extension BundleManifest {
    /// What holds for URLs that no bundle covers: nothing but the app's own rules. Version 0, no origins.
    package static let unbundled = BundleManifest(
        parsed: .unbundled,
        version: "0",
        origins: [],
        entry: defaultEntry,
        fallback: nil,
        offlinePage: nil,
        headers: [],
        mediaTypes: [:],
        forwardedFields: [],
        ignoredParameters: [],
        feed: nil,
        channel: defaultChannel
    )
}

extension BundleManifest {
    /// The keys of `bundle.json`, the same as in `bundles/manifest.schema.json`.
    enum Key: String, CaseIterable {
        case name
        case version
        case origins
        case entry
        case fallback
        case offlinePage
        case headers
        case immutable
        case mediaTypes
        case forwardedFields
        case forwardedAddress
        case ignoreQuery
        case network
        case feed
        case channel
        case health
        case pages

        /// The keys that a manifest must have.
        static let required: Set<Key> = [.name, .version, .origins]
        /// The member of `pages`.
        static let pagesMayUpdate = "update"
        /// The key with which editors find a document's schema; it has no effect on the bundle.
        static let schemaReference = "$schema"
    }
}

/// The page served for navigations to client-side routes of a single-page app: there is no file `product/42`, but the
/// app's page shows it. A value type; safe to share between threads.
public struct RouteFallback: Equatable, Sendable {
    /// The keys of a fallback in `bundle.json`.
    enum Key: String, CaseIterable {
        case file
        case routes
    }

    /// The routes when the manifest names none: all of them.
    public static let defaultRoutes = [PathPattern.everything]

    /// The page that is served.
    public let file: BundlePath
    /// The navigations that it is served for.
    public let routes: [PathPattern]

    private let patterns: PathPatternSet

    /// Serves `file` for navigations to `routes`.
    public init(file: BundlePath, routes: [PathPattern] = RouteFallback.defaultRoutes) {
        self.file = file
        self.routes = routes
        patterns = PathPatternSet(routes)
    }

    /// Whether ``covers(_:)`` takes only microseconds for a path of `byteCount` bytes.
    package func coversQuickly(pathOf byteCount: Int) -> Bool { patterns.coversQuickly(pathOf: byteCount) }

    /// A measure for comparing how long ``covers(_:)`` takes.
    package var comparedByteCount: Int { patterns.comparedByteCount }

    /// Whether one of the routes covers `path`. The caller must know that the request is a navigation.
    public func covers(_ path: BundlePath) -> Bool {
        patterns.covers(path)
    }
}

/// What a release asks for before it counts as one that works: somebody has to confirm it. A value type; safe to share
/// between threads.
public struct HealthTerms: Hashable, Sendable {
    /// The longest ``withinSeconds``: an hour.
    package static let maximumSeconds: Int64 = 3_600
    /// The most ``starts``.
    package static let maximumStarts = 100

    /// How many seconds after the first load of one of its pages it has to be confirmed at the latest: 1 to 3,600.
    public let withinSeconds: Int64
    /// How many starts of a server or an app it may see without that: 1 to 100.
    public let starts: Int

    /// Nil when a number is out of its bounds.
    ///
    /// - Parameters:
    ///   - withinSeconds: Default: 30.
    ///   - starts: Default: 2.
    public init?(withinSeconds: Int64 = 30, starts: Int = 2) {
        guard (1...Self.maximumSeconds).contains(withinSeconds), (1...Self.maximumStarts).contains(starts) else {
            return nil
        }
        self.withinSeconds = withinSeconds
        self.starts = starts
    }
}

extension HealthTerms {
    /// The keys of the manifest's `health`.
    enum Key: String, CaseIterable {
        case within, starts
    }

    var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.within.rawValue, .string("\(withinSeconds)s")),
            JSONObject.Member(Key.starts.rawValue, .number(JSONNumber(Int64(starts)))),
        ])
    }
}

/// A manifest, and warnings for its author that don't stop the installation.
public struct ParsedManifest: Equatable, Sendable {
    /// The manifest.
    public let manifest: BundleManifest
    /// One line for each unknown key, for each field that a bundle may not set, and for each network rule that can never
    /// apply, with its name and place.
    public let warnings: [String]
}

extension BundleManifest {
    /// Parses `bundle.json`.
    ///
    /// - Parameter json: The file's bytes: JSON in UTF-8, at most 1 MiB.
    /// - Throws: ``BundleError`` with code `invalidManifest` when the text is too long, isn't JSON or has a key twice;
    ///   when `name`, `version` or `origins` is missing; or when a key's value is invalid, or has more patterns,
    ///   extensions or URLs than allowed. The message names the key and its place. Whether the named files exist in the
    ///   bundle is not checked here.
    public static func parse(_ json: [UInt8]) throws(BundleError) -> ParsedManifest {
        try parse(json, named: fileName, limiting: true)
    }

    /// The same of a file with another name, by which messages call it.
    package static func parse(_ json: [UInt8], named name: String) throws(BundleError) -> ParsedManifest {
        try parse(json, named: name, limiting: true)
    }

    /// Parses a manifest from the store, which may have been installed before there were limits.
    package static func parse(stored json: [UInt8]) throws(BundleError) -> BundleManifest {
        try parse(json, named: fileName, limiting: false).manifest
    }

    private static func parse(
        _ json: [UInt8],
        named name: String,
        limiting: Bool
    ) throws(BundleError) -> ParsedManifest {
        let root = try JSONElement(
            parsing: json,
            named: name,
            maximumByteCount: maximumByteCount,
            refusedAs: .invalidManifest
        )
        var parser = BundleManifestParser(isLimiting: limiting)
        let manifest = try parser.manifest(root)
        return ParsedManifest(manifest: manifest, warnings: parser.warnings)
    }
}

extension BundleManifest {
    /// The manifest as JSON: every key with a value, sorted, without white space. ``parse(_:)`` returns the same
    /// manifest, without a warning.
    public func encoded() -> [UInt8] {
        let members = Key.allCases.compactMap { key in encoded(key).map { JSONObject.Member(key.rawValue, $0) } }
        return JSONWriter.bytes(of: .sorted(members), .compact)
    }

    private func encoded(_ key: Key) -> JSONValue? {
        switch key {
        case .name: .string(name.string)
        case .version: .string(version.string)
        case .origins: .array(origins.map(\.encoded))
        case .entry: .string(entry.string)
        case .fallback: fallback?.encoded
        case .offlinePage: offlinePage.map { .string($0.string) }
        case .headers: headers.isEmpty ? nil : .sorted(headers.map { JSONObject.Member($0.pattern.string, $0.encoded) })
        case .immutable: immutable.map { .array($0.map { .string($0.string) }) }
        case .mediaTypes: mediaTypes.isEmpty ? nil : .sorted(mediaTypes.map { JSONObject.Member($0, .string($1)) })
        case .forwardedFields:
            forwardedFields.isEmpty ? nil : .array(forwardedFields.map(JSONValue.string))
        case .forwardedAddress: forwardsAddress ? .bool(true) : nil
        case .ignoreQuery:
            ignoredParameters.isEmpty ? nil : .array(ignoredParameters.map { .string($0.string) })
        case .network: network.isEmpty ? nil : network.encoded
        case .feed: feed.map(JSONValue.string)
        case .channel: .string(channel)
        case .health: health?.encoded
        case .pages: pagesMayUpdate ? .sorted([JSONObject.Member(Key.pagesMayUpdate, .bool(true))]) : nil
        }
    }
}

extension OriginMapping {
    fileprivate var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.url.rawValue, .string(origin.description)),
            JSONObject.Member(Key.path.rawValue, .string(path)),
        ])
    }
}

extension RouteFallback {
    fileprivate var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.file.rawValue, .string(file.string)),
            JSONObject.Member(Key.routes.rawValue, .array(routes.map { .string($0.string) })),
        ])
    }
}

extension HeaderRule {
    fileprivate var encoded: JSONValue {
        .sorted(fields.map { JSONObject.Member($0.name, .string($0.value)) })
    }
}

extension JSONValue {
    /// An object with its members ordered by the bytes of their keys.
    static func sorted(_ members: [JSONObject.Member]) -> JSONValue {
        .object(JSONObject(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
    }
}

/// Limits on the content of a manifest, besides its size. They apply when a manifest is installed; a release that was
/// installed before there were limits is still served.
enum ManifestLimits {
    /// Each pattern is compared once with each file.
    static let headerPatternCount = 1_000
    static let headerPatternByteCount = 32 << 10
    /// Each pattern is compared with each file of the release while it is installed.
    static let immutableCount = 250
    static let immutableByteCount = 4 << 10
    /// Each pattern is compared with the path of each navigation, which the client chooses: so the limits are lower,
    /// and comparisons that take more than microseconds don't run on an event loop.
    static let routeCount = 250
    static let routeByteCount = 4 << 10
    static let originCount = 1_000
    static let mediaTypeCount = 1_000

    /// Throws for an element with more members or elements than `limit`.
    static func check(
        _ element: JSONElement,
        atMost limit: Int,
        _ what: String,
        advice: String
    ) throws(BundleError) {
        guard element.count <= limit else {
            throw element.refused("has \(element.count) \(what); the limit is \(limit); \(advice)")
        }
    }

    /// Throws for patterns whose total length exceeds `limit`.
    static func check(
        _ patterns: some Sequence<PathPattern>,
        ofAtMost limit: Int,
        in element: JSONElement
    ) throws(BundleError) {
        let byteCount = patterns.reduce(0) { $0 + $1.string.utf8.count }
        guard byteCount <= limit else {
            throw element.refused("has patterns of \(byteCount) bytes together; the limit is \(limit); \(shorten)")
        }
    }

    static let shorten = "cover many paths with one “*” or “**”"
}

import BundleStore

/// A release as written in a feed, with the archive's location relative to the feed. A value type; safe to share
/// between threads.
package struct FeedEntry: Equatable, Sendable {
    /// The version.
    package let version: BundleVersion
    /// The archive's URL reference (RFC 3986 §4.1), relative to the feed.
    package let source: String
    /// The archive's size in bytes, 1 or more.
    package let size: Int64
    /// The archive's SHA-256.
    package let digest: Digest
    /// To whom it is offered.
    package var terms: ReleaseTerms

    /// What is said about its files; nil when nothing is.
    package var contents: FeedContents<String>?
    /// The patches that lead to it.
    package var patches: [FeedPatch<String>]

    /// The entry's other members, which are kept when the feed is written.
    package var otherMembers: [JSONObject.Member]

    /// Offers the archive at `path` below the feed's folder.
    ///
    /// - Parameters:
    ///   - version: The release's version.
    ///   - path: The archive's path below the feed's folder.
    ///   - size: The archive's size in bytes, 1 or more; taken as it is.
    ///   - digest: The archive's SHA-256.
    ///   - terms: To whom it is offered.
    package init(
        version: BundleVersion,
        path: BundlePath,
        size: Int64,
        digest: Digest,
        terms: ReleaseTerms = ReleaseTerms()
    ) {
        self.init(
            version: version,
            source: Self.source(of: path),
            size: size,
            digest: digest,
            terms: terms,
            contents: nil,
            patches: [],
            otherMembers: []
        )
    }

    init(
        version: BundleVersion,
        source: String,
        size: Int64,
        digest: Digest,
        terms: ReleaseTerms,
        contents: FeedContents<String>?,
        patches: [FeedPatch<String>],
        otherMembers: [JSONObject.Member]
    ) {
        self.version = version
        self.source = source
        self.size = size
        self.digest = digest
        self.terms = terms
        self.contents = contents
        self.patches = patches
        self.otherMembers = otherMembers
    }

    /// The URL reference of a file below the feed's folder.
    package static func source(of path: BundlePath) -> String {
        path.components.map { PercentEncoding.encode(component: $0) }.joined(separator: "/")
    }
}

extension [FeedEntry] {
    /// The one with exactly this version.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is none; it names those that there are.
    package func offering(_ version: BundleVersion) throws(BundleError) -> FeedEntry {
        if let entry = first(where: { $0.version.string == version.string }) { return entry }
        let offered = isEmpty ? "nothing" : map(\.version.string).joined(separator: ", ")
        throw BundleError(.invalidArgument, "the feed doesn't offer \(version); it offers \(offered)")
    }
}

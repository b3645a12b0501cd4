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
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is none; it names those that there are.
    package func offering(_ version: BundleVersion) throws(BundleError) -> FeedEntry {
        if let entry = first(where: { $0.version.string == version.string }) { return entry }
        let offered = isEmpty ? "nothing" : map(\.version.string).joined(separator: ", ")
        throw BundleError(.notFound, "the feed doesn't offer \(version); it offers \(offered)")
    }
}

/// What a feed says about the files of a release. A value type; safe to share between threads.
package struct FeedContents<Location: Equatable & Sendable>: Equatable, Sendable {
    /// ``/BundleStore/Release/filesDigest()`` of the release.
    package let filesDigest: Digest
    /// The ``/BundleInstall/ContentList``; nil when there is none.
    package let list: FeedFile<Location>?

    package init(filesDigest: Digest, list: FeedFile<Location>?) {
        self.filesDigest = filesDigest
        self.list = list
    }
}

/// A patch that a feed names: it turns the files of an earlier release into those of the one that lists it. A value type;
/// safe to share between threads.
package struct FeedPatch<Location: Equatable & Sendable>: Equatable, Sendable {
    /// The version of the earlier release, for people.
    package let from: BundleVersion
    /// ``/BundleStore/Release/filesDigest()`` of the earlier release.
    package let base: Digest
    /// The patch.
    package let file: FeedFile<Location>

    package init(from: BundleVersion, base: Digest, file: FeedFile<Location>) {
        self.from = from
        self.base = base
        self.file = file
    }
}

/// A file that a feed names, with what is needed to verify it: a content list or a patch. A value type; safe to share
/// between threads.
///
/// `Location` is the URL reference as the feed has it, or the URL that it stands for.
package struct FeedFile<Location: Equatable & Sendable>: Equatable, Sendable {
    /// Where it is.
    package let location: Location
    /// Its size in bytes, 1 or more.
    package let size: Int64
    /// Its SHA-256.
    package let digest: Digest

    package init(location: Location, size: Int64, digest: Digest) {
        self.location = location
        self.size = size
        self.digest = digest
    }
}

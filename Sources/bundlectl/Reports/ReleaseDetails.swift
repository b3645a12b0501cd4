import BundleNetwork
import BundleServing
import BundleStore
import Foundation

/// The result of `show`.
struct ReleaseDetails: Report {
    /// A URL prefix and the folder that it is mapped to.
    struct Origin: Encodable {
        let url: String
        let path: String
    }

    /// The route fallback.
    struct Fallback: Encodable {
        let file: String
        let routes: [String]
    }

    /// A file, with `--files`.
    struct File: Encodable {
        let path: String
        let byteCount: Int
        let mediaType: String
        let sha256: String
        /// Why browsers may keep it without asking again; nil when they may not.
        let immutable: String?
    }

    /// A URL that the manifest names as `precache`.
    struct PrecachedURL: Encodable {
        let url: String
        let isStored: Bool
        let failure: String?
        let triedAt: Date?
        let nextTryAt: Date?
        let isGivenUp: Bool
    }

    /// The recorded state of update checks.
    struct Updates: Encodable {
        let checkedAt: Date?
        let heldVersion: String?
        let isOnHold: Bool
        let lastFailure: String?
        /// The feed that is followed in place of the manifest's.
        let feed: String?
        let channel: String?

        /// The feed and its channel, if they were chosen.
        var chosen: String? {
            feed.map { Printable.line($0 + (channel.map { ", channel \($0)" } ?? "")) }
        }
    }

    let name: BundleName
    let version: BundleVersion
    let state: ReleaseState
    let isPinned: Bool
    let isDamaged: Bool
    /// Whether it is active and has yet to be confirmed.
    let isOnProbation: Bool
    /// Why nothing of it is used; nil when it may be.
    let withdrawn: Withdrawal.Reason?
    let contentDigest: Digest
    /// SHA-256 of the root by which it is vouched for; nil when nobody vouches for it.
    let signedBy: Digest?
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?
    let origins: [Origin]
    /// Nil when the release has no such file.
    let entry: String?
    let fallback: Fallback?
    let offlinePage: String?
    let feed: String?
    let channel: String
    let updates: Updates
    /// Nil for a version that isn't active, and for a manifest that names none.
    let precache: [PrecachedURL]?
    let versions: [ReleaseReport]
    let files: [File]?

    init(
        _ release: Release,
        in bundle: InstalledBundle?,
        updates: UpdateState?,
        precache ahead: PrecacheReport? = nil,
        listsFiles: Bool
    ) {
        let manifest = release.manifest
        (name, version, state) = (release.name, release.version, release.state)
        isPinned = release.isPinned
        isDamaged = !release.isReadable
        isOnProbation = release.state == .active && bundle?.probationTerms != nil
        withdrawn = bundle?.withdrawal(of: release.version)?.reason
        contentDigest = release.contentDigest
        signedBy = bundle?.signature(of: release)?.root
        fileCount = release.fileCount
        byteCount = release.byteCount
        installedAt = release.installedAt
        activatedAt = release.activatedAt
        origins = manifest.origins.map { Origin(url: $0.origin.description, path: $0.path) }
        let hasEntry = !release.isReadable || release.asset(at: manifest.entry) != nil
        entry = hasEntry ? manifest.entry.string : nil
        fallback = manifest.fallback.map { Fallback(file: $0.file.string, routes: $0.routes.map(\.string)) }
        offlinePage = manifest.offlinePage?.string
        feed = manifest.feed
        channel = manifest.channel
        self.updates = Updates(
            checkedAt: updates?.checkedAt,
            heldVersion: updates?.heldVersion?.string,
            isOnHold: updates?.isOnHold ?? false,
            lastFailure: updates?.lastFailure,
            feed: updates?.chosenFeed?.url,
            channel: updates?.chosenFeed?.channel
        )
        precache = ahead?.items.map(PrecachedURL.init)
        versions = bundle?.reports ?? []
        files = listsFiles ? release.assets.map(File.init) : nil
    }

    var lines: [String] {
        KeyValueList.lines(facts) + (files.map { [""] + Self.table(of: $0) } ?? [])
    }

    private typealias Facts = [(String, String?)]

    private var facts: Facts {
        identity + origins.map { ("origin", Printable.line("\($0.url) ↔ \($0.path)")) } + pages + history
    }

    private var identity: Facts {
        [
            ("name", name.string), ("version", version.string),
            ("state", stateText),
            ("content", "\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount))"),
            ("digest", contentDigest.hex), ("signed by", signedBy.map { "sha256:\($0)" }),
            ("installed", Timestamp.text(installedAt)), ("activated", activatedAt.map(Timestamp.text)),
        ]
    }

    private var stateText: String {
        ReleaseReport.stateText(state, isPinned: isPinned, isDamaged: isDamaged)
            + (withdrawn.map { ", not used (\($0.rawValue))" } ?? "") + (isOnProbation ? ", to be confirmed" : "")
    }

    private var pages: Facts {
        [
            ("entry", entry.map(Printable.line)),
            ("fallback", fallback.map { Printable.line("\($0.file) for \($0.routes.joined(separator: ", "))") }),
            ("offline page", offlinePage.map(Printable.line)), ("feed", feed.map(Printable.line)),
        ]
    }

    private var history: Facts {
        let others = versions.filter { $0.version.string != version.string }.map { "\($0.version) (\($0.stateText))" }
        let ahead: Facts = (precache ?? []).compactMap(\.line).map { ("not stored", $0) }
        let updates: Facts = [
            ("channel", Printable.line(channel)), ("follows", updates.chosen),
            ("checked", updates.checkedAt.map(Timestamp.text)),
            ("last failure", updates.lastFailure.map(Printable.line)), ("held back", updates.heldVersion),
            ("on hold", updates.isOnHold ? "yes" : nil),
            ("fetched ahead", precache.map(Self.line)),
        ]
        return updates + ahead + [("other versions", others.isEmpty ? nil : others.joined(separator: ", "))]
    }

    private static func line(_ urls: [PrecachedURL]) -> String {
        "\(urls.count { $0.isStored }) of \(Quantity.text(urls.count, "URL"))"
    }

    private static func table(of files: [File]) -> [String] {
        Table.lines(
            of: files,
            [
                .right("SIZE") { ByteCount.text(Int64($0.byteCount)) },
                .left("MEDIA TYPE") { Printable.line($0.mediaType) },
                .left("IMMUTABLE BY") { $0.immutable ?? "-" }, .left("PATH") { Printable.line($0.path) },
            ]
        )
    }
}

extension ReleaseDetails.PrecachedURL {
    init(_ item: PrecacheReport.Item) {
        url = item.url
        isStored = item.isStored
        failure = item.failure
        triedAt = item.triedAt
        nextTryAt = item.nextTry
        isGivenUp = item.isGivenUp
    }

    /// Why it isn't stored, and when it is tried again; nil when it is stored.
    fileprivate var line: String? {
        guard !isStored else { return nil }
        let next =
            if isGivenUp {
                "given up for this version"
            } else {
                nextTryAt.map { "next try \(Timestamp.text($0))" } ?? "next try as soon as possible"
            }
        return Printable.line("\(url) (\(failure.map { "\($0); " } ?? "")\(next))")
    }
}

extension ReleaseDetails.File {
    init(_ asset: Asset) {
        path = asset.path
        byteCount = asset.byteCount
        mediaType = asset.mediaType
        sha256 = asset.digest.hex
        immutable = asset.permanence?.word
    }
}

extension ReleaseReport {
    /// The state as text: `retained`, `retained, pinned`, `active, damaged`.
    var stateText: String { Self.stateText(state, isPinned: isPinned, isDamaged: isDamaged) }

    static func stateText(_ state: ReleaseState, isPinned: Bool, isDamaged: Bool) -> String {
        ([state.rawValue] + (isPinned ? ["pinned"] : []) + (isDamaged ? ["damaged"] : [])).joined(separator: ", ")
    }
}

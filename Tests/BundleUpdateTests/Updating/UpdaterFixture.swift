import BundleInstall
import BundleServing
import BundleStore
import BundleTar
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes

/// A store with `shop` 1.0.0, and a publisher on a scripted network.
struct UpdaterFixture: Sendable {
    static let feed = "https://get.example.com/shop/feed.json"
    static let name = BundleName("shop")

    let directory: TemporaryDirectory
    let store: BundleStore
    let network = ScriptedTransport()
    let clock = TestClock()
    let updater: Updater

    /// - Parameter local: The version that is installed, or nil for none.
    /// - Parameter shell: The version of the shell.
    init(
        in directory: TemporaryDirectory,
        local: String? = "1.0.0",
        members: String = Self.members,
        shell: String? = nil,
        configuration: Updater.Configuration = Updater.Configuration()
    ) throws {
        self.directory = directory
        store = try BundleStore(at: directory.path, creating: true, now: clock.read)
        var configuration = configuration
        configuration.shellVersion = shell.flatMap(BundleVersion.init)
        updater = Updater(
            store,
            installer: Installer(store, formats: .zipAndTar),
            transport: network,
            configuration,
            clock: clock
        )
        if let local { try install(local, members: members) }
    }

    static let members =
        #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}], "feed": "\#(feed)""#

    func install(_ version: String, members: String = Self.members) throws {
        try store.install(try BundleManifest.sample("shop", version, members), files: ["index.html": version])
    }

    /// A zip of a release; without a manifest when `inner` is nil.
    static func archive(_ version: String, inner: String? = nil, hasManifest: Bool = true) -> [UInt8] {
        let manifest = #"{"name": "shop", "version": "\#(inner ?? version)", \#(members)}"#
        let entries = [ZipFixtureEntry("index.html", Array(version.utf8))]
        return ZipFixture(entries + (hasManifest ? [ZipFixtureEntry("bundle.json", Array(manifest.utf8))] : [])).bytes
    }

    static func source(_ version: String) -> String { "https://get.example.com/shop/shop-\(version).zip" }

    /// Publishes archives and the feed that offers them, each in its channels.
    ///
    /// - Parameters:
    ///   - members: Further members of an entry, by its version.
    ///   - sequence: The feed's number.
    @discardableResult
    func publish(
        _ releases: [(version: String, channels: [String])],
        name: String = "shop",
        feed: String = Self.feed,
        members: [String: String] = [:],
        sequence: Int? = nil,
        archive: (String) -> [UInt8] = { Self.archive($0) }
    ) -> [[UInt8]] {
        let archives = releases.map { archive($0.version) }
        for (release, bytes) in zip(releases, archives) { network.response(Self.source(release.version), file: bytes) }
        let entries = zip(releases, archives).map { release, bytes in
            Self.entry(
                release.version,
                size: bytes.count,
                digest: Digest(of: bytes),
                channels: release.channels,
                members: members[release.version]
            )
        }
        network.response(feed, .ok, [:], Self.feed(name, entries, sequence: sequence))
        return archives
    }

    @discardableResult
    func publish(_ version: String) -> [UInt8] { publish([(version, [])])[0] }

    static func entry(
        _ version: String,
        size: Int,
        digest: Digest,
        channels: [String] = [],
        members: String? = nil,
        source: String? = nil
    ) -> String {
        let list = channels.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            {"version": "\(version)", "src": "\(source ?? "shop-\(version).zip")", "size": \(size), "sha256": "\(digest)",
            "channels": [\(list)]\(members.map { ", \($0)" } ?? "")}
            """
    }

    static func feed(_ name: String, _ entries: [String], sequence: Int? = nil) -> String {
        let number = sequence.map { #""sequence": \#($0), "# } ?? ""
        return #"{"name": "\#(name)", \#(number)"versions": [\#(entries.joined(separator: ", "))]}"#
    }

    /// How many archives were requested.
    var downloadCount: Int { network.requests.count { $0.path?.hasSuffix(".zip") == true } }

    /// The active version.
    var active: String? { store.snapshot.bundles[Self.name]?.active?.version.string }

    /// The content of the active version's page.
    var page: String? {
        ResourceResolver(store.snapshot).resolve("https://m.example.com/shop/").map {
            String(decoding: $0.contents.array, as: UTF8.self)
        }
    }

    /// The archives that were begun and not installed.
    var downloads: [String] {
        get throws { try directory.snapshot(of: "downloads").files.keys.sorted() }
    }

    /// Where a file is downloaded to that an update of the bundle needs.
    func downloadPath(for digest: Digest) -> String { store.downloadPath(for: DownloadKey(digest, of: Self.name)) }

    /// The code of the error that an update ends with, or nil when it doesn't.
    func failure(_ progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }) async -> BundleError? {
        do {
            _ = try await updater.update(Self.name, progress: progress)
            return nil
        } catch {
            return error as? BundleError
        }
    }
}

import BundleInstall
import BundleModel
import BundlePublishing
import BundleStore
import BundleTar
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

/// A publisher who signs what is in the folder, and whose keys somebody may have stolen.
struct SigningPublisher {
    /// What the release key says of an archive.
    struct Target {
        var source: String
        var size: Int64
        var digest: Digest
        var name = "shop"
        var version: String
        /// Nil to say nothing.
        var files: Digest?

        var json: String {
            let contents = files.map { #", "contents": "\#($0)""# } ?? ""
            return #"""
                "\#(source)": {"length": \#(size), "hashes": {"sha256": "\#(digest)"},
                "custom": {"name": "\#(name)", "version": "\#(version)"\#(contents)}}
                """#
        }
    }

    let publisher: PublisherFixture
    let directory: TemporaryDirectory
    var network: ScriptedTransport { publisher.network }

    var rootKey = SigningKey(1)
    var releaseKey = SigningKey(2)
    var onlineKey = SigningKey(3)
    /// Every root so far.
    private(set) var roots: [[UInt8]] = []
    var targetsVersion = 0
    var onlineVersion = 0
    var targetsExpiry = "2030-01-01T00:00:00Z"
    var onlineExpiry = "2026-02-01T00:00:00Z"
    var signedAt = "2026-01-01T00:00:00Z"
    private(set) var targets: [Target] = []
    private var signedTargets: [UInt8] = []
    /// The name of the feed's copy, which has its digest.
    private(set) var feedCopyName = ""

    init(in directory: TemporaryDirectory, network: ScriptedTransport) throws {
        self.directory = directory
        publisher = PublisherFixture(directory: directory, network: network)
    }

    /// SHA-256 of the first root.
    var anchor: Digest { Digest(of: roots.first ?? []) }

    /// The feed, which says that it is signed.
    var feed: [UInt8] {
        get throws {
            let text = String(decoding: try directory.read("www/feed.json"), as: UTF8.self)
            return Array(text.replacing("{", with: "{\"signed\": true,", maxReplacements: 1).utf8)
        }
    }

    /// Publishes a release, and signs it with all keys.
    mutating func publish(_ version: String, _ files: [String: String]) throws {
        try publisher.publish(version, files)
        try signRelease(try allTargets())
        try signOnline()
    }

    /// Makes the next root, signed with the keys of the one before too.
    mutating func signRoot(alsoBy earlier: [SigningKey] = []) throws {
        let keys = Set([rootKey, releaseKey, onlineKey]).sorted { $0.seed < $1.seed }.map(\.json)
        let signed = """
            {"_type": "root", "spec_version": "1.0.34", "version": \(roots.count + 1), "expires": "2030-01-01T00:00:00Z",
            "consistent_snapshot": true, "keys": {\(keys.joined(separator: ", "))},
            "roles": {"root": \(rootKey.role), "targets": \(releaseKey.role), "snapshot": \(onlineKey.role),
            "timestamp": \(onlineKey.role)}}
            """
        roots.append(try SigningKey.document(signed, by: [rootKey] + earlier))
        serve("\(roots.count).root.json", roots[roots.count - 1])
        withhold("\(roots.count + 1).root.json")
    }

    /// What the release key says, by default about all that is in the folder.
    mutating func signRelease(_ targets: [Target]) throws {
        if roots.isEmpty { try signRoot() }
        self.targets = targets
        targetsVersion += 1
        let delegation =
            onlineKey.role.dropLast() + #", "name": "feed", "terminating": true, "paths": ["feed.json"]}"#
        let signed = """
            {"_type": "targets", "spec_version": "1.0.34", "version": \(targetsVersion), "expires": "\(targetsExpiry)",
            "targets": {\(targets.map(\.json).joined(separator: ", "))},
            "delegations": {"keys": {\(onlineKey.json)}, "roles": [\(delegation)]}}
            """
        signedTargets = try SigningKey.document(signed, by: [releaseKey])
        serve("\(targetsVersion).targets.json", signedTargets)
    }

    /// What the online key says: the feed, the snapshot and the timestamp.
    ///
    /// - Parameter feed: Another feed than the one in the folder.
    mutating func signOnline(_ feed: [UInt8]? = nil) throws {
        onlineVersion += 1
        let feed = try feed ?? self.feed
        let delegated = try SigningKey.document(
            #"{\#(header("targets")), "targets": {"feed.json": {\#(Self.content(feed))}}}"#,
            by: [onlineKey]
        )
        let snapshot = try SigningKey.document(
            """
            {\(header("snapshot")), "meta": {
            "targets.json": {"version": \(targetsVersion), \(Self.content(signedTargets))},
            "feed.json": {"version": \(onlineVersion), \(Self.content(delegated))}}}
            """,
            by: [onlineKey]
        )
        let timestamp = try SigningKey.document(
            """
            {\(header("timestamp")), "signedAt": "\(signedAt)",
            "meta": {"snapshot.json": {"version": \(onlineVersion), \(Self.content(snapshot))}}}
            """,
            by: [onlineKey]
        )
        serve("\(onlineVersion).feed.json", delegated)
        serve("\(onlineVersion).snapshot.json", snapshot)
        feedCopyName = "\(Digest(of: feed)).feed.json"
        serve("feed.json", feed)
        serve("timestamp.json", timestamp)
    }

    /// What the release key would say about all that is in the folder.
    func allTargets() throws -> [Target] {
        try FeedDocument.parse(feed, named: "feed.json").entries.map { entry in
            let store = try BundleStore(at: directory.path(of: "scratch-\(entry.version)"), creating: true)
            let path = directory.path(of: "www/\(entry.source)")
            let report = try Installer(store, formats: .zipAndTar).install(archive: path)
            return Target(
                source: entry.source,
                size: entry.size,
                digest: entry.digest,
                version: entry.version.string,
                files: store.snapshot.bundles[report.name]?.active?.filesDigest()
            )
        }
    }

    /// Serves a file, and puts it into the folder; the feed under both of its names.
    func serve(_ name: String, _ bytes: [UInt8]) {
        network.response(PublisherFixture.base + name, file: bytes)
        if name == "feed.json" { network.response(PublisherFixture.base + feedCopyName, file: bytes) }
        _ = try? directory.write(bytes, to: "signed/\(name)")
    }

    /// Responds with 404.
    func withhold(_ name: String) {
        network.response(PublisherFixture.base + name, .notFound, [:], "")
    }

    private func header(_ type: String) -> String {
        #""_type": "\#(type)", "spec_version": "1.0.34", "version": \#(onlineVersion), "expires": "\#(onlineExpiry)""#
    }

    private static func content(_ bytes: [UInt8]) -> String {
        #""length": \#(bytes.count), "hashes": {"sha256": "\#(Digest(of: bytes))"}"#
    }
}

/// A client of a publisher who signs.
struct TrustFixture {
    let client: UpdaterFixture
    var signer: SigningPublisher

    /// Calls `body` with a client that has installed 1.0.0 from the signed feed.
    ///
    /// - Parameters:
    ///   - isInstalled: False for a client that has nothing yet.
    static func using(
        isInstalled: Bool = true,
        _ configuration: Updater.Configuration = Updater.Configuration(),
        _ body: (inout TrustFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let client = try UpdaterFixture(in: directory, local: nil, configuration: configuration)
            var fixture = TrustFixture(
                client: client,
                signer: try SigningPublisher(in: directory, network: client.network)
            )
            try fixture.signer.publish("1.0.0", DeliveryFixture.old)
            if isInstalled { _ = try await client.updater.install(feed: fixture.feed) }
            try await body(&fixture)
        }
    }

    var feed: URL { URL(string: UpdaterFixture.feed)! }

    var anchor: TrustAnchor? { get throws { try client.store.trustAnchor(of: UpdaterFixture.name) } }

    /// Why an update fails for what isn't trusted; nil when it doesn't.
    func refusal() async -> TrustError.Code? {
        (await client.failure()?.cause as? TrustError)?.code
    }

    /// That nothing but 1.0.0 as it was signed can be read, and that it can.
    func expectUnharmed(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let store = client.store
        let releases = store.snapshot.bundles[UpdaterFixture.name]?.releases ?? []
        #expect(releases.map(\.version.string) == ["1.0.0"], sourceLocation: sourceLocation)
        let files = releases.flatMap { release in
            release.assets.map { ($0.path, String(decoding: $0.contents?.array ?? [], as: UTF8.self)) }
        }
        let signed = DeliveryFixture.old.merging(["index.html": "1.0.0"]) { $1 }
        #expect(
            Dictionary(files) { $1 }.filter { $0.key != "bundle.json" } == signed,
            sourceLocation: sourceLocation
        )
        #expect(client.page == "1.0.0", sourceLocation: sourceLocation)
        #expect(try store.verify().isEmpty, sourceLocation: sourceLocation)
    }
}

import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

/// A client with 1.0.0, and a publisher of 1.0.0 and 1.1.0.
struct DeliveryFixture {
    static let patch = "shop-1.1.0.from-1.0.0.patch"
    static let list = "shop-1.1.0.contents.json.zst"
    static let archive = "shop-1.1.0.zip"

    static let old = ["a.js": text(1), "b.js": text(2), "c.js": text(3), "d.js": text(4)]
    /// One file is renamed, one changed a little, one new, and one as it was.
    static let new = ["A.js": text(1), "b.js": text(2) + "!", "n.js": text(5), "d.js": text(4)]

    /// Of a bundle on the feed's host.
    static let sibling = #""origins": [{"url": "https://get.example.com/docs/", "path": "/"}]"#

    let client: UpdaterFixture
    let publisher: PublisherFixture

    /// Text that doesn't compress, the same in each run.
    static func text(_ seed: UInt64, _ count: Int = 20_000) -> String {
        var generator = SeededGenerator(seed: seed)
        return String(
            decoding: (0..<count).map { _ in UInt8.random(in: 0x20..<0x7F, using: &generator) },
            as: UTF8.self
        )
    }

    /// - Parameters:
    ///   - patches: From how many releases patches are made.
    ///   - new: The files of 1.1.0.
    ///   - configuration: The client's.
    static func using(
        patches: Int = 3,
        new: [String: String] = Self.new,
        configuration: Updater.Configuration = Updater.Configuration(),
        _ body: (Self) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let client = try UpdaterFixture(in: directory, local: nil, configuration: configuration)
            let publisher = PublisherFixture(directory: directory, network: client.network)
            try publisher.publish("1.0.0", Self.old, patches: patches)
            _ = try Installer(client.store, formats: .zipAndTar).install(archive: directory.path(of: "in-1.0.0"))
            try publisher.publish("1.1.0", new, patches: patches)
            try await body(Self(client: client, publisher: publisher))
        }
    }

    func update() async throws -> DeliveryReport {
        let result = try await client.updater.update(UpdaterFixture.name)
        guard case .updated(_, _, let report?) = result else { throw BundleError(.invalidFeed, "nothing was fetched") }
        return report
    }

    /// Every script of the active release, by its path.
    var files: [String: String] {
        let assets = client.store.snapshot.bundles[UpdaterFixture.name]?.active?.assets.map(\.self) ?? []
        return Dictionary(
            uniqueKeysWithValues: assets.map {
                ($0.path, $0.contents.map { String(decoding: $0.array, as: UTF8.self) } ?? "")
            }
        ).filter { $0.key.hasSuffix(".js") }
    }

    func expectUpdated(to expected: [String: String] = Self.new) throws {
        #expect(client.page == "1.1.0")
        #expect(files == expected)
        #expect(try client.downloads.isEmpty)
        #expect(try client.store.verify().isEmpty)
    }
}

import BundleInstall
import BundlePublishing
import BundleStore
import BundleTar
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundleUpdate

@Suite("Archives that are installed by hand where they have to be signed")
struct ArchiveTrustTests {
    private func archive(_ version: String, _ fixture: TrustFixture) -> String {
        fixture.signer.directory.path(of: "www/shop-\(version).zip")
    }

    private func vouching(
        for archive: String,
        _ fixture: TrustFixture,
        requiresTrust: Bool = false
    ) throws -> InstallOptions {
        try ArchiveTrust(fixture.client.store, requiresTrust: requiresTrust).options(InstallOptions(), for: archive)
    }

    private func makeInstaller(_ fixture: TrustFixture) -> Installer {
        Installer(fixture.client.store, formats: .zipAndTar)
    }

    /// The code of the refusal of an installation.
    private func refusal(_ body: () async throws -> Void) async -> BundleError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? BundleError)?.code
        }
    }

    @Test("an archive that the release key has signed is installed, as far as a check has seen it")
    func known() async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let path = archive("1.1.0", fixture)
            let unknown = await refusal {
                try makeInstaller(fixture).install(archive: path, options: vouching(for: path, fixture))
            }
            #expect(unknown == .untrusted)
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            let options = try vouching(for: path, fixture)
            #expect(options.expected?.version.string == "1.1.0" && options.expectedFiles != nil)
            try makeInstaller(fixture).install(archive: path, options: options)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("an archive that nobody has signed isn't installed, whichever way it takes")
    func unsigned() async throws {
        try await TrustFixture.using { fixture in
            let (directory, installer, client) = (fixture.signer.directory, makeInstaller(fixture), fixture.client)
            let trust = ArchiveTrust(client.store, requiresTrust: false)
            let path = try directory.write(PublisherFixture.archive("1.1.0", ["evil.js": "evil"]), to: "evil.zip")
            let files = ["bundle.json": PublisherFixture.manifest("1.1.0"), "index.html": "evil"]
            let folder = try directory.write(tree: files, to: "evil")
            let manifest = try ManifestFile(directory.path(of: "evil/bundle.json"))
            var forced = InstallOptions()
            (forced.replaces, forced.isSeed) = (true, true)
            let url = try #require(URL(string: UpdaterFixture.source("1.1.0")))
            fixture.client.network.response(url.absoluteString, file: try directory.read("evil.zip"))
            let digest = Digest(of: try directory.read("evil.zip"))
            let ways: [() async throws -> InstallReport] = [
                { try installer.install(archive: path) },
                { try installer.install(archive: path, options: forced) },
                { try installer.install(archive: path, options: trust.options(InstallOptions(), for: path)) },
                { try installer.install(archive: path, describedBy: manifest, options: InstallOptions()) },
                { try installer.install(folder: folder) },
                { try await client.updater.install(archive: url, digest: digest) },
            ]
            for (index, way) in ways.enumerated() {
                #expect(await refusal { _ = try await way() } == .untrusted, "\(index)")
            }
            #expect(fixture.client.page == "1.0.0")
            #expect(fixture.client.store.snapshot.bundles[UpdaterFixture.name]?.releases.count == 1)
            #expect(try fixture.client.store.endTrust(of: UpdaterFixture.name))
            try installer.install(archive: path)
            #expect(fixture.client.store.snapshot.bundles[UpdaterFixture.name]?.activeVersion?.string == "1.1.0")
        }
    }

    @Test("nor is one of a bundle for which the program has a root that the store doesn't know yet")
    func shippedRoot() async throws {
        try await TrustFixture.using { fixture in
            let store = fixture.client.store
            #expect(try store.endTrust(of: UpdaterFixture.name))
            let bytes = PublisherFixture.archive("1.1.0", [:])
            let path = try fixture.signer.directory.write(bytes, to: "new.zip")
            for names in [[UpdaterFixture.name], [BundleName("news")]] {
                let trust = ArchiveTrust(store, requiresTrust: false, signedBundles: Set(names))
                let code = await refusal {
                    let options = try trust.options(InstallOptions(), for: path)
                    try makeInstaller(fixture).install(archive: path, options: options)
                }
                #expect(code == (names == [UpdaterFixture.name] ? .untrusted : nil))
            }
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("an archive that is exchanged between the check of its digest and the installation makes nothing readable")
    func exchanged() async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            let options = try vouching(for: archive("1.1.0", fixture), fixture)
            let bytes = PublisherFixture.archive("1.1.0", ["evil.js": "evil"])
            let path = try fixture.signer.directory.write(bytes, to: "evil.zip")
            let code = await refusal { try makeInstaller(fixture).install(archive: path, options: options) }
            #expect(code == .invalidFeed)
            #expect(fixture.client.page == "1.0.0")
        }
    }

    @Test("targets that have expired vouch for nothing, and those of an expired timestamp do")
    func expiry() async throws {
        try await TrustFixture.using { fixture in
            fixture.signer.targetsExpiry = "2026-03-01T00:00:00Z"
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            let path = archive("1.1.0", fixture)
            fixture.client.clock.advance(by: .seconds(40 * 86_400))
            #expect(try vouching(for: path, fixture).expectedFiles != nil)
            fixture.client.clock.advance(by: .seconds(40 * 86_400))
            #expect(try vouching(for: path, fixture).expectedFiles == nil)
            #expect(await refusal { try makeInstaller(fixture).install(archive: path) } == .untrusted)
        }
    }

    @Test(
        "the feed in an archive's folder vouches for it, by the root that is trusted alone",
        arguments: [true, false]
    )
    func folder(isOwn: Bool) async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let store = fixture.client.store
            let root = isOwn ? fixture.signer.roots[0] : try Self.otherRoot()
            try store.trust(UpdaterFixture.name, root: root, named: "root.json")
            let bytes = try fixture.signer.directory.read("www/shop-1.0.0.zip")
            let path = try fixture.signer.directory.write(bytes, to: "signed/by-hand.zip")
            let (options, warnings) = try await ArchiveTrust(store, requiresTrust: false)
                .optionsBesideFeed(InstallOptions(), for: path)
            #expect((options.expectedFiles != nil) == isOwn && warnings.isEmpty)
            let code = await refusal { try makeInstaller(fixture).install(archive: path, options: options) }
            #expect(code == (isOwn ? nil : .untrusted))
            #expect(fixture.client.page == (isOwn ? "1.0.0" : nil))
        }
    }

    @Test(
        "where everything has to be signed, an archive is refused before it is opened, or its feed is trusted from then on"
    )
    func required() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let (store, directory) = (fixture.client.store, fixture.signer.directory)
            let trust = ArchiveTrust(store, requiresTrust: true)
            // What can't be opened is refused for its digest.
            let broken = try directory.write("no archive", to: "www/broken.zip")
            for path in [broken, archive("1.0.0", fixture)] {
                let code = await refusal { _ = try await trust.optionsBesideFeed(InstallOptions(), for: path) }
                #expect(code == .untrusted)
                #expect(await refusal { _ = try trust.options(InstallOptions(), for: path) } == .untrusted)
            }
            let bytes = try directory.read("www/shop-1.0.0.zip")
            let path = try directory.write(bytes, to: "signed/by-hand.zip")
            let (options, warnings) = try await trust.optionsBesideFeed(InstallOptions(), for: path)
            #expect(warnings.count == 1 && warnings[0].contains(fixture.signer.anchor.hex))
            #expect(try fixture.anchor == nil)
            try makeInstaller(fixture).install(archive: path, options: options)
            #expect(fixture.client.page == "1.0.0")
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
        }
    }

    private static func otherRoot() throws -> [UInt8] {
        let key = SigningKey(40)
        let roles = ["root", "targets", "snapshot", "timestamp"].map { "\"\($0)\": \(key.role)" }
        let signed = """
            {"_type": "root", "spec_version": "1.0.34", "version": 1, "expires": "2030-01-01T00:00:00Z",
            "consistent_snapshot": true, "keys": {\(key.json)}, "roles": {\(roles.joined(separator: ", "))}}
            """
        return try SigningKey.document(signed, by: [key])
    }
}

import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import HTTPCore
import HTTPTypes
import Testing

@Suite("What is done with a bundle by hand while it is updated")
struct UpdateBasisTests {
    @Test(
        "a bundle that is changed by hand while its release is fetched is left so",
        arguments: [
            ("removed", nil), ("on hold", "1.0.0"), ("installed", "1.4.0"), ("installed, later", "1.4.0"),
        ] as [(String, String?)]
    )
    func changedMeanwhile(change: String, active: String?) async throws {
        var configuration = Updater.Configuration()
        if change == "installed, later" { configuration.activation = .nextStart }
        try await DeliveryFixture.using(configuration: configuration) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.response(DeliveryFixture.patch) { _ in
                switch change {
                case "removed": _ = try client.store.remove(UpdaterFixture.name, nil)
                case "on hold": try client.store.setHold(true, UpdaterFixture.name)
                default: try client.install("1.4.0")
                }
                return OriginResponse(.ok, [:], [patch])
            }
            let error = await #expect(throws: BundleError.self) {
                try await client.updater.update(UpdaterFixture.name)
            }
            #expect(error?.code == .storeBusy)
            #expect(client.active == active)
            #expect(client.store.snapshot.bundles[UpdaterFixture.name]?.lifecycle.pending == nil)
            #expect(try client.downloads.isEmpty)
            #expect(!publisher.requests.contains { $0.hasPrefix(DeliveryFixture.archive) })
        }
    }

    @Test("a release that is installed by hand before its feed has arrived isn't replaced by a lower one")
    func changedBefore() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let feed = try #require(try publisher.files()["feed.json"])
            client.network.response(UpdaterFixture.feed) { _ in
                try client.install("1.4.0")
                return OriginResponse(.ok, [:], [feed])
            }
            _ = try await client.updater.update(UpdaterFixture.name)
            #expect(client.active == "1.4.0")
        }
    }

    @Test("the release that is fetched may be installed by hand meanwhile")
    func installedMeanwhile() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.response(DeliveryFixture.patch) { _ in
                _ = try Installer(client.store).install(archive: client.directory.path(of: "in-1.1.0"))
                return OriginResponse(.ok, [:], [patch])
            }
            _ = try await fixture.update()
            try fixture.expectUpdated()
        }
    }
}

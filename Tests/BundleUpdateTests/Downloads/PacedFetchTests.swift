import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Releases that can't be fetched wait for their time")
struct PacedFetchTests {
    private static let scheduled: Updater.Configuration = {
        var configuration = Updater.Configuration()
        configuration.isScheduled = true
        return configuration
    }()

    /// A file whose server wants to be asked less.
    struct Overload: Sendable, CustomTestStringConvertible {
        let file: String
        let status: HTTPResponse.Status
        let retryAfter: Int?

        var testDescription: String { "\(status.code) to \(file)" }

        static let all = [
            Overload(file: DeliveryFixture.patch, status: .tooManyRequests, retryAfter: 7_200),
            Overload(file: DeliveryFixture.list, status: .serviceUnavailable, retryAfter: 7_200),
            Overload(file: DeliveryFixture.archive, status: .serviceUnavailable, retryAfter: nil),
            Overload(file: DeliveryFixture.archive, status: .internalServerError, retryAfter: 7_200),
        ]

        var response: OriginResponse {
            OriginResponse(status, retryAfter.map { [.retryAfter: "\($0)"] } ?? [:], "")
        }
    }

    private func byHand(_ fixture: DeliveryFixture) -> Updater {
        let client = fixture.client
        return Updater(client.store, installer: Installer(client.store), transport: client.network)
    }

    @Test(
        "a server that wants to be asked less isn't asked for a larger file, nor again before its time",
        arguments: Overload.all
    )
    func overload(_ overload: Overload) async throws {
        let patches = overload.file == DeliveryFixture.patch ? 3 : 0
        try await DeliveryFixture.using(patches: patches, configuration: Self.scheduled) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let bytes = try #require(try publisher.files()[overload.file])
            publisher.response(overload.file) { _ in overload.response }
            let error = await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(error?.code == .networkUnavailable)
            let asked = publisher.requests
            #expect(asked.last?.hasPrefix(overload.file) == true)
            #expect(!asked.contains(DeliveryFixture.archive), "ranges of it are no larger file")
            client.clock.advance(by: .seconds((overload.retryAfter ?? 150) - 1))
            await #expect(throws: UpdatePostponement.self) { try await fixture.update() }
            #expect(publisher.requests == asked + ["feed.json"], "what the feed says is known all the same")
            await #expect(throws: BundleError.self, "by hand") {
                try await byHand(fixture).update(UpdaterFixture.name)
            }
            #expect(publisher.requests.last?.hasPrefix(overload.file) == true)
            publisher.network.response(PublisherFixture.base + overload.file, file: bytes)
            client.clock.advance(by: .seconds(7_200))
            #expect(try await fixture.update().failures.isEmpty)
            try fixture.expectUpdated()
        }
    }

    @Test("what another release needs is fetched meanwhile, and what succeeds by hand ends the pause")
    func otherRelease() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: Self.scheduled)
            fixture.publish("1.1.0")
            fixture.network.response(UpdaterFixture.source("1.1.0"), .tooManyRequests, [.retryAfter: "80000"], "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            fixture.publish("1.2.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.2.0")
        }
    }

    @Test("files that aren't the advertised ones are fetched again after an hour, two and so on, and not by each run")
    func wrongFiles() async throws {
        try await DeliveryFixture.using(configuration: Self.scheduled) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            for (name, bytes) in try publisher.files() where name != "feed.json" {
                publisher.network.response(PublisherFixture.base + name, file: bytes.map { $0 ^ 0x55 })
            }
            func downloads() -> Int { publisher.requests.count { $0 == DeliveryFixture.archive } }
            let error = await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect((error?.cause as? RefusedRelease)?.isFinal == false)
            #expect(downloads() == 1)
            // Each pause is shortened at random by up to a half.
            for (wait, count) in [(0, 1), (1_799, 1), (1_801, 2), (3_599, 2), (3_601, 3)] {
                client.clock.advance(by: .seconds(wait))
                await #expect(throws: (any Error).self) { try await fixture.update() }
                #expect(downloads() == count)
            }
            #expect(client.page == "1.0.0")
        }
    }

    @Test("nor is a patch that is wrong, where a metered link permits nothing else")
    func wrongPatchOnMeteredLink() async throws {
        var configuration = Self.scheduled
        configuration.isMetered = { true }
        try await DeliveryFixture.using(configuration: configuration) { fixture in
            let publisher = fixture.publisher
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.network.response(PublisherFixture.base + DeliveryFixture.patch, file: patch.reversed())
            await #expect(throws: BundleError.self) { try await fixture.update() }
            await #expect(throws: UpdatePostponement.self) { try await fixture.update() }
            #expect(publisher.requests == ["feed.json", DeliveryFixture.patch, "feed.json"])
        }
    }

    @Test(
        "what a broken connection has begun is resumed by the next run; where nothing came, it waits",
        arguments: [0, 50]
    )
    func broken(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: Self.scheduled)
            let archive = fixture.publish("1.1.0")
            fixture.network.response(UpdaterFixture.source("1.1.0")) { _ in
                OriginResponse(.ok, [:], [Array(archive.prefix(count))], failure: OriginResponse.connectionLost)
            }
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.network.response(UpdaterFixture.source("1.1.0"), file: archive)
            if count == 0 {
                await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
                fixture.clock.advance(by: .seconds(300))
            }
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("a failure of the feed doesn't end the pause that a release's server has asked for")
    func severalFailures() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: Self.scheduled)
            fixture.publish("1.1.0")
            fixture.network.response(UpdaterFixture.source("1.1.0"), .serviceUnavailable, [.retryAfter: "80000"], "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.network.response(UpdaterFixture.feed, .notFound, [:], "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.clock.advance(by: .seconds(3_600))
            fixture.publish("1.1.0")
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            fixture.clock.advance(by: .seconds(80_000))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }
}

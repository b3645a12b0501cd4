import BundleEmbedding
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Updates whose files the system downloads", .timeLimit(.minutes(5)))
struct BackgroundDownloadsTests {
    private static let identifier = BackgroundSystem.identifier

    @Test("an update goes on in another process, with what was downloaded without one")
    func relaunch() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let first = try app.launch()
            #expect(await first.updateAllInBackground())
            #expect(app.system.transfers.count == 1)
            #expect(app.requestedRanges.isEmpty)
            first.close()
            app.system.endProcess()
            await app.system.download(from: app.network)
            try app.system.deliver()
            #expect(app.system.transfers.count == 1, "nobody could be told")
            let second = try app.launch()
            #expect(second.active == "1.0.0")
            try app.system.deliver()
            #expect(await second.finishEvents(ofSession: Self.identifier))
            #expect(second.active == "1.1.0")
            #expect(app.requestedRanges == [nil], "the system alone has asked")
            #expect(try app.downloads.isEmpty)
            #expect(app.system.transfers.isEmpty)
        }
    }

    @Test("an update goes on while the app runs, without being asked for its events")
    func running() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch()
            #expect(await client.updateAllInBackground())
            await app.system.download(from: app.network)
            try app.system.deliver()
            try await eventually { client.active == "1.1.0" }
        }
    }

    @Test("the rest of a file is asked for with its validator, and the whole is taken too", arguments: [true, false])
    func rest(hasRanges: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let (client, archive) = (try app.launch(), app.archive)
            let fields: HTTPFields = [.contentLength: String(archive.count), .eTag: "\"1\""]
            app.network.response(BackgroundFixture.source) { _ in
                OriginResponse(.ok, fields, [Array(archive.prefix(100))], failure: OriginResponse.connectionLost)
            }
            // By hand, and without a range to resume at.
            await #expect(throws: BundleError.self) { try await client.update(ClientFixture.name) }
            let begun = app.requestedRanges.count
            #expect(await client.updateAllInBackground())
            let request = try #require(app.system.transfers.first?.request)
            #expect(request.headerFields[.range] == "bytes=100-")
            #expect(request.headerFields[.ifRange] == "\"1\"")
            if hasRanges {
                app.network.response(BackgroundFixture.source, file: archive)
            } else {
                app.network.response(BackgroundFixture.source) { _ in OriginResponse(.ok, fields, [archive]) }
            }
            await app.system.download(from: app.network)
            try app.system.deliver()
            #expect(await client.finishEvents(ofSession: Self.identifier))
            #expect(client.active == "1.1.0")
            #expect(app.requestedRanges.count == begun + 1)
        }
    }

    @Test("a file that is being downloaded isn't asked for again, not for a person either once it has begun")
    func once() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch()
            for _ in 0..<2 { #expect(await client.updateAllInBackground()) }
            app.system.begin()
            #expect(await client.leavesUpdateToSystem())
            #expect(app.system.transfers.count == 1)
            #expect(app.requestedRanges.isEmpty)
        }
    }

    @Test(
        "a person's update starts no task of the system, and waits for none that hasn't begun",
        arguments: [true, false]
    )
    func person(hasTask: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch()
            if hasTask { #expect(await client.updateAllInBackground()) }
            #expect(await !client.leavesUpdateToSystem())
            #expect(client.active == "1.1.0")
            #expect(app.system.transfers.isEmpty)
        }
    }

    @Test("a small file is fetched at once")
    func small() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch(leastByteCount: Int64(app.archive.count) + 1)
            #expect(await client.updateAllInBackground())
            #expect(client.active == "1.1.0")
            #expect(app.system.transfers.isEmpty)
        }
    }

    @Test("a host with a password is asked by the app itself")
    func credentials() async throws {
        try await withTemporaryDirectory { directory in
            let credentials = try FeedCredentials(netrc: "machine get.example.com login app password secret")
            let app = try BackgroundFixture(in: directory) { $0.updates.credentials = credentials }
            let client = try app.launch()
            #expect(await client.updateAllInBackground())
            #expect(client.active == "1.1.0")
            #expect(app.system.transfers.isEmpty)
        }
    }

    @Test(
        "an archive waits for a link that isn't metered, unless all may be fetched there",
        arguments: MeteredPolicy.allCases
    )
    func metered(policy: MeteredPolicy) async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory) { $0.updates.onMetered = policy }
            let client = try app.launch()
            #expect(await client.updateAllInBackground())
            #expect(app.system.transfers.map(\.permitsMetered) == [policy == .always])
        }
    }

    @Test("the tasks of a bundle that needs nothing end, and those that can't be read; another bundle's go on")
    func abandoned() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch()
            #expect(await client.updateAllInBackground())
            let request = try #require(app.system.transfers.first?.request)
            let digest = Digest(of: app.archive)
            let docs = BackgroundDownload(bundle: "docs", archive: digest, digest: digest, size: 1).description
            for description in [nil, "offline-bundles/0 shop", docs] { app.system.add(request, description) }
            app.network.response(ClientFixture.feed, .ok, [:], #"{"name": "shop", "versions": []}"#)
            #expect(await client.updateAllInBackground())
            #expect(app.system.transfers.map(\.description) == [docs])
        }
    }

    @Test("nothing is kept of a bundle that has been removed")
    func removed() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let client = try app.launch()
            #expect(await client.updateAllInBackground())
            try await client.remove(ClientFixture.name)
            await app.system.download(from: app.network)
            try app.system.deliver()
            #expect(await client.finishEvents(ofSession: Self.identifier))
            #expect(client.active == nil)
            #expect(try app.downloads.isEmpty)
        }
    }

    @Test("events of other sessions aren't waited for, and a cancelled task doesn't wait")
    func events() async throws {
        try await withTemporaryDirectory { directory in
            let client = try BackgroundFixture(in: directory).launch()
            #expect(await !client.finishEvents(ofSession: "com.example.other"))
            let task = Task { await client.finishEvents(ofSession: Self.identifier) }
            task.cancel()
            #expect(await task.value)
        }
    }
}

import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Checking and updating")
struct UpdaterTests {
    @Test(
        "only a higher version in the channel is an update",
        arguments: [
            ("1.0.0", "0.9.0", false), ("1.0.0", "1.0.0", false), ("1.0.0", "1.0.0-rc.1", false),
            ("1.0.0", "1.0.0+a", false),
            ("1.0.0", "1.0.1", true), ("1.9.0", "1.10.0", true), ("1.0.0", "1.1.0-beta.1", true),
            ("1.0.0-rc.1", "1.0.0", true),
        ]
    )
    func higher(local: String, offered: String, isUpdate: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: local)
            fixture.publish([(offered, ["stable"])])
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.local?.string == local)
            #expect(check.highest?.string == offered)
            #expect(check.available?.version.string == (isUpdate ? offered : nil))
            let before = try directory.snapshot(of: "segments")
            let result = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == (isUpdate ? offered : local))
            #expect(fixture.page == (isUpdate ? offered : local))
            if case .updated(_, let report, _) = result { #expect(isUpdate && report.outcome == .installed) }
            if !isUpdate { #expect(try directory.snapshot(of: "segments") == before) }
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test(
        "the highest version of the manifest's channel is installed",
        arguments: [("stable", "1.10.0"), ("beta", "2.0.0-beta.1"), ("nightly", "1.0.0")]
    )
    func channels(channel: String, expected: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(
                in: directory,
                members: UpdaterFixture.members + #", "channel": "\#(channel)""#
            )
            fixture.publish([
                ("1.2.0", ["stable"]), ("2.0.0-beta.1", ["beta"]), ("1.10.0", ["stable", "beta"]), ("1.3.0", []),
                ("2.0.0-rc.1", []),
            ])
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == expected)
        }
    }

    @Test("an empty channel offers nothing")
    func emptyChannel() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("2.0.0", ["beta"])])
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.highest == nil)
            #expect(check.available == nil)
        }
    }

    @Test("after a rollback the version rolled back from isn't installed again, a higher one is")
    func held() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            try fixture.store.rollBack(UpdaterFixture.name)
            fixture.publish("1.1.0")
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.held?.string == "1.1.0")
            #expect(check.available == nil)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.0.0")
            fixture.publish("1.1.1")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.1")
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.heldVersion == nil)
        }
    }

    @Test("a feed of another bundle, or an unreadable one, changes nothing and is recorded")
    func badFeeds() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let good = UpdaterFixture.entry("2.0.0", size: 1, digest: Digest(of: []))
            let table: [(HTTPResponse.Status, String, BundleError.Code)] = [
                (.ok, UpdaterFixture.feed("docs", [good]), .invalidFeed), (.ok, "<html>", .invalidFeed),
                (.ok, "", .invalidFeed), (.ok, UpdaterFixture.feed("shop", [good, "{}"]), .invalidFeed),
                (.notFound, UpdaterFixture.feed("shop", []), .networkUnavailable),
                (.internalServerError, "oops", .networkUnavailable), (.notModified, "", .networkUnavailable),
            ]
            for (status, text, code) in table {
                fixture.network.response(UpdaterFixture.feed, status, [:], text)
                let failure = await fixture.failure()
                #expect(failure?.code == code, "\(status) \(text)")
                #expect(fixture.active == "1.0.0")
                let state = try fixture.store.updateState(of: UpdaterFixture.name)
                #expect(state?.lastFailure == failure?.message)
                #expect(state?.checkedAt == fixture.clock.date)
            }
            fixture.publish("1.0.0")
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
        }
    }

    @Test("a feed that is too long is refused before its end")
    func endlessFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.network.response(UpdaterFixture.feed) { _ in
                OriginResponse(.ok, [:], Array(repeating: [UInt8](repeating: 0x20, count: 1 << 20), count: 6))
            }
            #expect(await fixture.failure()?.code == .invalidFeed)
        }
    }

    @Test("a bundle that isn't installed, or has no feed, can't be checked")
    func noFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            #expect(await fixture.failure()?.code == .notFound)
            try fixture.install("1.0.0", members: #""origins": []"#)
            #expect(await fixture.failure()?.code == .invalidArgument)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("a given feed takes precedence over the manifest's")
    func feedOverride() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let other = "https://get.example.com/shop/other.json"
            fixture.publish([("1.5.0", [])], feed: other)
            _ = try await fixture.updater.update(UpdaterFixture.name, feed: URL(string: other))
            #expect(fixture.active == "1.5.0")
        }
    }

    @Test("a release that differs from the advertised one is refused", arguments: ["1.0.5", "1.2.0"])
    func otherVersionInside(inner: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])]) { UpdaterFixture.archive($0, inner: inner) }
            let failure = await fixture.failure()
            #expect(failure?.code == .invalidFeed)
            #expect(failure?.message.contains("holds shop@\(inner), but shop@1.1.0 was advertised") == true)
            #expect(fixture.active == "1.0.0")
            #expect(fixture.store.snapshot.bundles[UpdaterFixture.name]?.releases.count == 1)
        }
    }

    @Test("an archive that can't be installed leaves the old version, and no file, and isn't fetched again")
    func notAnArchive() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])]) { _ in Array("this is no archive".utf8) }
            let failure = await fixture.failure()
            #expect(failure?.code == .invalidArchive)
            #expect(await fixture.failure() == nil)
            #expect(try fixture.downloads.isEmpty)
            #expect(fixture.active == "1.0.0")
            #expect(fixture.downloadCount == 1)
            let check = try await fixture.updater.check(UpdaterFixture.name)
            let reason = try #require(failure?.message)
            #expect(check.decision.candidates.map(\.rejection) == [.failedBefore(reason: reason)])
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == reason)
        }
    }

    @Test("without fetching, an update says what it would take, and changes nothing")
    func available() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = Updater.Configuration()
            configuration.fetches = false
            let fixture = try UpdaterFixture(in: directory, configuration: configuration)
            fixture.publish("1.1.0")
            let result = try await fixture.updater.update(UpdaterFixture.name)
            guard case .available(let check) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(check.available?.version.string == "1.1.0")
            #expect(fixture.network.requests.allSatisfy { $0.path?.hasSuffix(".zip") == false })
            #expect(fixture.active == "1.0.0")
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
        }
    }

    @Test("an update takes place whatever the date was at the one before", arguments: [-10, 10])
    func otherDate(years: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = Updater.Configuration()
            configuration.isScheduled = true
            let fixture = try UpdaterFixture(in: directory, configuration: configuration)
            fixture.publish([("1.1.0", [])], sequence: 1)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            fixture.network.response(UpdaterFixture.feed, .serviceUnavailable, [.retryAfter: "86400"], "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.publish([("1.1.0", []), ("1.2.0", [])], sequence: 2)
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            fixture.clock.advance(by: .seconds(years * 365 * 86_400))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.page == "1.2.0")
        }
    }

    @Test("an archive left by an update that was killed after installing it is removed by the next one")
    func leftOver() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            try directory.write(archive, to: "downloads/shop.\(Digest(of: archive).hex).part")
            try directory.write("begun", to: "downloads/shop.\(Digest(of: Array("another".utf8)).hex).part")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(try fixture.downloads.count == 1, "what isn't installed yet is resumed later")
        }
    }

    @Test("a bundle installed without a manifest keeps its origins, feed and channel")
    func withoutManifest() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, members: UpdaterFixture.members + #", "channel": "beta""#)
            fixture.publish([("1.1.0", ["beta"])]) { UpdaterFixture.archive($0, hasManifest: false) }
            _ = try await fixture.updater.update(UpdaterFixture.name)
            let manifest = try #require(fixture.store.snapshot.bundles[UpdaterFixture.name]?.active?.manifest)
            #expect(manifest.version.string == "1.1.0")
            #expect(manifest.origins.map(\.description) == ["https://m.example.com/shop/ ↔ /"])
            #expect(manifest.feed == UpdaterFixture.feed)
            #expect(manifest.channel == "beta")
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("responses cached under the old version are dropped with the update, another bundle's stay")
    func cacheIsDropped() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.store.install(try BundleManifest.sample("docs", "1.0.0"), files: ["index.html": ""])
            for name in ["shop", "docs"] {
                try fixture.store.cache(
                    [1],
                    url: "https://m.example.com/\(name)/x",
                    of: try #require(BundleName(name)),
                    BundleVersion("1.0.0")
                )
            }
            fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(try fixture.store.cachedResponses().map(\.url) == ["https://m.example.com/docs/x"])
        }
    }

    @Test("two updates of one bundle don't run at the same time")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let lock = try BundleStore(at: directory.path).lockUpdate(of: UpdaterFixture.name)
            #expect(await fixture.failure()?.code == .storeBusy)
            withExtendedLifetime(lock) {}
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("an update made by another process in the meantime is detected")
    func otherProcess() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            try BundleStore(at: directory.path)
                .install(
                    try BundleManifest.sample("shop", "1.1.0", UpdaterFixture.members),
                    files: ["index.html": "theirs"]
                )
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.local?.string == "1.1.0")
            #expect(check.available == nil)
        }
    }
}

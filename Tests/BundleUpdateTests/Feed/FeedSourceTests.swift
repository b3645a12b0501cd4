import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate
@testable import HTTPCore

@Suite("Reading feeds")
struct FeedSourceTests {
    private static let moved = "https://other.example.com/feed.json"

    private func scheduled(_ fixture: UpdaterFixture) -> Updater {
        var configuration = Updater.Configuration()
        configuration.isScheduled = true
        return Updater(
            fixture.store,
            installer: Installer(fixture.store),
            transport: fixture.network,
            configuration: configuration
        )
    }

    /// Serves the feed as it is with validators, and 304 to a request that has one of them.
    private func serve(
        _ feed: String,
        _ fields: HTTPFields,
        at url: String = UpdaterFixture.feed,
        _ fixture: UpdaterFixture
    ) {
        fixture.network.response(url) { request in
            let isKnown =
                (fields[.eTag] != nil && request.headerFields[.ifNoneMatch] == fields[.eTag])
                || (fields[.lastModified] != nil && request.headerFields[.ifModifiedSince] == fields[.lastModified])
            return isKnown ? OriginResponse(.notModified, fields) : OriginResponse(.ok, fields, feed)
        }
    }

    private func feed(_ version: String) -> String {
        UpdaterFixture.feed("shop", [UpdaterFixture.entry(version, size: 1, digest: Digest(of: []))], sequence: 1)
    }

    /// What tells whether anything was written to the catalog.
    @Test("an unchanged feed is asked for with its validators, decided by again, and no event is recorded")
    func unchanged() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            serve(feed("1.1.0"), [.eTag: "\"7\""], fixture)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            let before = try fixture.store.lastEventNumber()
            for _ in 1...3 {
                fixture.clock.advance(by: .seconds(900))
                let check = try await fixture.updater.check(UpdaterFixture.name)
                #expect(check.available?.version.string == "1.1.0")
                #expect(check.available?.source.absoluteString == UpdaterFixture.source("1.1.0"))
            }
            #expect(try fixture.store.lastEventNumber() == before)
            let conditions = fixture.network.requests.map { $0.headerFields[.ifNoneMatch] }
            #expect(conditions == [nil, "\"7\"", "\"7\"", "\"7\""])
            // What was decided depends on more than the feed.
            try fixture.store.setHold(true, UpdaterFixture.name)
            #expect(try await fixture.updater.check(UpdaterFixture.name).available == nil)
        }
    }

    @Test("a feed in a coding is remembered as it is without, and its server is asked by what it said of the coded one")
    func coded() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let coded = GzipFixture(Array(feed("1.1.0").utf8)).bytes
            fixture.network.response(UpdaterFixture.feed) { request in
                request.headerFields[.ifNoneMatch] == "\"7-gzip\""
                    ? OriginResponse(.notModified, [.eTag: "\"7-gzip\""])
                    : OriginResponse(.ok, [.eTag: "\"7-gzip\"", .contentEncoding: "gzip"], [coded])
            }
            for _ in 1...2 {
                let check = try await fixture.updater.check(UpdaterFixture.name)
                #expect(check.available?.version.string == "1.1.0")
            }
            #expect(fixture.network.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"7-gzip\""])
        }
    }

    @Test("an update that finds nothing records only when it was, and the time of a check once a day")
    func nothingNew() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            serve(feed("1.0.0"), [.eTag: "\"7\""], fixture)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            let (before, first) = (try fixture.store.lastEventNumber(), fixture.clock.date)
            fixture.clock.advance(by: .seconds(86_399))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(try fixture.store.lastEventNumber() == before)
            #expect(try fixture.store.updateFigures()[UpdaterFixture.name]?.succeededAt == fixture.clock.date)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.checkedAt == first)
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.checkedAt == fixture.clock.date)
        }
    }

    @Test("a changed feed counts, whether or not its server knows conditions")
    func changed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            for (version, fields) in [
                ("1.1.0", [.eTag: "\"1\""]), ("1.2.0", [.eTag: "W/\"2\""]), ("1.3.0", [:]),
                ("1.4.0", [.lastModified: "Wed, 31 Dec 2025 00:00:00 GMT"]),
            ] as [(String, HTTPFields)] {
                serve(feed(version), fields, fixture)
                for _ in 1...2 {
                    let check = try await fixture.updater.check(UpdaterFixture.name)
                    #expect(check.available?.version.string == version)
                }
            }
            let last = try #require(fixture.network.requests.last)
            #expect(last.headerFields[.ifModifiedSince] == "Wed, 31 Dec 2025 00:00:00 GMT")
        }
    }

    @Test("a date of the last minute isn't relied on: the feed may change again within that second")
    func recent() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            serve(feed("1.1.0"), [.lastModified: "Thu, 01 Jan 2026 00:00:00 GMT"], fixture)
            for _ in 1...2 { _ = try await fixture.updater.check(UpdaterFixture.name) }
            #expect(fixture.network.requests.allSatisfy { $0.headerFields[.ifModifiedSince] == nil })
        }
    }

    @Test("a 304 of another URL than the one that was stored isn't believed, nor one without a condition")
    func redirected() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            serve(feed("1.1.0"), [.eTag: "\"1\""], fixture)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            fixture.network.response(UpdaterFixture.feed, .found, [.location: Self.moved], "")
            serve(feed("1.2.0"), [.eTag: "\"1\""], at: Self.moved, fixture)
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.available?.version.string == "1.2.0")
            #expect(check.available?.source.absoluteString == "https://other.example.com/shop-1.2.0.zip")
            #expect(try await fixture.updater.check(UpdaterFixture.name).available?.version.string == "1.2.0")
            #expect(fixture.network.requests.last?.headerFields[.ifNoneMatch] == "\"1\"")
            fixture.network.response(Self.moved, .notModified, [:], "")
            try fixture.store.keep(nil, of: UpdaterFixture.name, feed: UpdaterFixture.feed)
            await #expect(throws: BundleError.self) { try await fixture.updater.check(UpdaterFixture.name) }
        }
    }

    @Test("by the clock a feed that fails isn't asked before its pause is over; by hand it is")
    func backoff() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.network.response(UpdaterFixture.feed, .serviceUnavailable, [.retryAfter: "7200"], "")
            let scheduled = scheduled(fixture)
            await #expect(throws: BundleError.self) { try await scheduled.check(UpdaterFixture.name) }
            let reason = try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure
            fixture.clock.advance(by: .seconds(7_199))
            let until = fixture.clock.date + 1
            await #expect(throws: UpdatePostponement.backingOff(until: until)) {
                try await scheduled.update(UpdaterFixture.name)
            }
            #expect(fixture.network.requests.count == 1)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == reason)
            await #expect(throws: BundleError.self) { try await fixture.updater.check(UpdaterFixture.name) }
            #expect(fixture.network.requests.count == 2)
            fixture.publish("1.0.0")
            _ = try await fixture.updater.check(UpdaterFixture.name)
            _ = try await scheduled.check(UpdaterFixture.name)
            #expect(fixture.network.requests.count == 4)
        }
    }

    @Test("a pause that was recorded by a clock that was ahead doesn't count")
    func wrongClock() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let scheduled = scheduled(fixture)
            fixture.network.response(UpdaterFixture.feed, .serviceUnavailable, [:], "")
            fixture.clock.advance(by: .seconds(1_000_000))
            await #expect(throws: BundleError.self) { try await scheduled.check(UpdaterFixture.name) }
            fixture.clock.advance(by: .seconds(-1_000_000))
            await #expect(throws: BundleError.self) { try await scheduled.check(UpdaterFixture.name) }
            await #expect(throws: UpdatePostponement.self) { try await scheduled.check(UpdaterFixture.name) }
        }
    }

    @Test("what a machine without a right to connect is told, and a feed that is wrong, are no reasons to wait")
    func noReason() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let scheduled = scheduled(fixture)
            fixture.network.response(UpdaterFixture.feed) { _ in
                throw OriginDenial(.unknown).error(at: "get.example.com")
            }
            for _ in 1...2 {
                await #expect(throws: BundleError.self) { try await scheduled.check(UpdaterFixture.name) }
            }
            fixture.network.response(UpdaterFixture.feed, .ok, [:], "<html>")
            for _ in 1...2 {
                await #expect(throws: BundleError.self) { try await scheduled.check(UpdaterFixture.name) }
            }
            #expect(fixture.network.requests.count == 4)
        }
    }
}

import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("What goes wrong when a release is delivered")
struct DeliveryFaultTests {
    private static let waiting: InstallOptions = {
        var options = InstallOptions()
        options.waits = true
        return options
    }()

    /// What goes wrong with one file of the publisher.
    enum Fault: String, CaseIterable, Sendable {
        case missing, serverError, empty, wrongBytes, tooShort, tooLong, unreachable, breaks, rangeIgnored, otherRange
        case otherLength

        func response(to request: HTTPRequest, with bytes: [UInt8]) throws -> OriginResponse {
            let range = RequestedPart(request.headerFields[.range], bytes.count)
            let part = Array(bytes[range.range])
            switch self {
            case .missing: return OriginResponse(.notFound, [:], "no")
            case .serverError: return OriginResponse(.internalServerError, [:], "no")
            case .empty: return range.response([])
            case .wrongBytes: return range.response(part.map { $0 ^ 0x55 })
            case .tooShort: return range.response(Array(part.dropLast()))
            case .tooLong: return range.response(part + [0])
            case .unreachable: throw BundleError(.networkUnavailable, "no route")
            case .breaks: return range.response([], failure: OriginResponse.connectionLost)
            case .rangeIgnored: return OriginResponse(.ok, [.contentLength: String(bytes.count)], [bytes])
            case .otherRange: return range.response(part, shiftedBy: 1)
            case .otherLength: return range.response(part, length: bytes.count + 1)
            }
        }
    }

    @Test("whatever is wrong with a patch, the missing files are fetched instead", arguments: Fault.allCases)
    func patchFault(_ fault: Fault) async throws {
        // A server that knows no ranges, or gets them wrong, sends whole files well.
        guard ![.rangeIgnored, .otherRange, .otherLength].contains(fault) else { return }
        try await DeliveryFixture.using { fixture in
            let publisher = fixture.publisher
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.response(DeliveryFixture.patch) { try fault.response(to: $0, with: patch) }
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.entries, [.patch]))
            try expectUpdatedWithPartialFiles(fixture)
        }
    }

    @Test("whatever is wrong with a content list, the archive is fetched instead", arguments: Fault.allCases)
    func listFault(_ fault: Fault) async throws {
        guard ![.rangeIgnored, .otherRange, .otherLength].contains(fault) else { return }
        try await DeliveryFixture.using(patches: 0) { fixture in
            let publisher = fixture.publisher
            let list = try #require(try publisher.files()[DeliveryFixture.list])
            publisher.response(DeliveryFixture.list) { try fault.response(to: $0, with: list) }
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            try fixture.expectUpdated()
        }
    }

    @Test("whatever is wrong with ranges, the whole archive is fetched instead", arguments: Fault.allCases)
    func rangeFault(_ fault: Fault) async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let publisher = fixture.publisher
            let archive = try #require(try publisher.files()[DeliveryFixture.archive])
            publisher.response(DeliveryFixture.archive) { request in
                guard request.headerFields[.range] != nil else { return OriginResponse(.ok, [:], [archive]) }
                return try fault.response(to: request, with: archive)
            }
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            try expectUpdatedWithPartialFiles(fixture)
        }
    }

    @Test(
        "cut at any tenth and then unreachable, the old version stays, and the next update goes on from there",
        arguments: ["shop-1.1.0.from-1.0.0.patch", "shop-1.1.0.contents.json.zst", "shop-1.1.0.zip"],
        0..<10
    )
    func cut(file: String, tenth: Int) async throws {
        try await DeliveryFixture.using(patches: file == DeliveryFixture.patch ? 3 : 0) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let files = try publisher.files()
            for (name, bytes) in files where name != "feed.json" {
                publisher.response(name) { request in
                    guard name == file else { throw BundleError(.networkUnavailable, "no route") }
                    let part = RequestedPart(request.headerFields[.range], bytes.count)
                    let cut = Array(bytes[part.range].prefix(part.range.count * tenth / 10))
                    return part.response(cut, failure: OriginResponse.connectionLost)
                }
            }
            await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(client.page == "1.0.0")
            for (name, bytes) in files { publisher.network.response(PublisherFixture.base + name, file: bytes) }
            let report = try await fixture.update()
            #expect(report.failures.isEmpty)
            #expect(client.page == "1.1.0")
            #expect(fixture.files == DeliveryFixture.new)
            #expect(try client.store.verify().isEmpty)
        }
    }

    @Test(
        "a host that stalls, before a response or within one, is left for the next plan, and for the next update",
        arguments: [DeliveryFixture.patch, DeliveryFixture.list, DeliveryFixture.archive],
        [true, false]
    )
    func stalls(file: String, hasBegun: Bool) async throws {
        try await DeliveryFixture.using(patches: file == DeliveryFixture.patch ? 3 : 0) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let bytes = try #require(try publisher.files()[file])
            let (never, asked) = (Latch(), Monitor(0))
            // Once it is waited for, time passes.
            @Sendable func stall() async throws {
                asked.update { $0 += 1 }
                try await never.wait()
            }
            publisher.response(file) { _ in
                if !hasBegun { try await stall() }
                let chunks = AsyncThrowingStream<[UInt8], any Error> {
                    try await stall()
                    return nil
                }
                return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(chunks))
            }
            let time = Task {
                for count in 1... {
                    try await asked.wait { $0 >= count ? () : nil }
                    client.clock.advance(by: .seconds(31))
                }
            }
            defer { time.cancel() }
            if file == DeliveryFixture.archive {
                let error = await #expect(throws: BundleError.self) { try await fixture.update() }
                #expect(error?.code == .networkUnavailable)
                #expect(client.page == "1.0.0")
                publisher.network.response(PublisherFixture.base + file, file: bytes)
            }
            let report = try await fixture.update()
            let failed: [PlanKind] = [DeliveryFixture.patch: [.patch], DeliveryFixture.list: [.entries]][file] ?? []
            #expect(report.failures.map(\.plan) == failed)
            try expectUpdatedWithPartialFiles(fixture)
        }
    }

    @Test("a patch that is for another release than its feed says leads to nothing, and the missing files are fetched")
    func otherBase() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            try publisher.publish("1.2.0", DeliveryFixture.old)
            let feed = String(decoding: try #require(try publisher.files()["feed.json"]), as: UTF8.self)
            // 1.2.0 has patches from 1.1.0 and 1.0.0.
            let bases = Set(feed.matches(of: /"base": "([0-9a-f]{64})"/).map { String($0.1) })
            let (one, other) = (try #require(bases.min()), try #require(bases.max()))
            try #require(bases.count == 2)
            let swapped = feed.replacing(one, with: "?").replacing(other, with: one).replacing("?", with: other)
            publisher.network.response(UpdaterFixture.feed, .ok, [:], swapped)
            let report = try await fixture.update()
            #expect(report.failures.first?.plan == .patch)
            #expect(client.page == "1.2.0")
            #expect(fixture.files == DeliveryFixture.old)
        }
    }

    @Test("two updaters of one store don't fetch a release twice")
    func twoUpdaters() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let other = try BundleStore(at: client.directory.path, creating: true)
            let second = Updater(other, installer: Installer(other), transport: client.network)
            let options = Self.waiting
            async let first = client.updater.update(UpdaterFixture.name, options: options)
            async let last = second.update(UpdaterFixture.name, options: options)
            let results = try await [first, last]
            let updated = results.count { if case .updated = $0 { true } else { false } }
            #expect(updated == 1)
            #expect(publisher.requests.count { $0 == DeliveryFixture.patch } == 1)
            try client.store.refresh()
            #expect(client.page == "1.1.0")
        }
    }

    @Test("a release that is installed with other content than the feed offers isn't activated")
    func otherContent() async throws {
        try await DeliveryFixture.using { fixture in
            let client = fixture.client
            try client.install("1.1.0")
            try client.store.activate(UpdaterFixture.name, BundleVersion("1.0.0"))
            try client.store.setHold(false, UpdaterFixture.name)
            let error = await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(error?.code == .versionConflict)
            #expect(client.page == "1.0.0")
        }
    }

    @Test("what is wrong with the only plan that a metered link permits is a failure, and not a postponement")
    func meteredFailure() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            publisher.response(DeliveryFixture.patch) { _ in OriginResponse(.notFound, [:], "no") }
            var configuration = Updater.Configuration()
            configuration.isMetered = { true }
            let updater = Updater(
                client.store,
                installer: Installer(client.store),
                transport: client.network,
                configuration: configuration
            )
            let error = await #expect(throws: BundleError.self) { try await updater.update(UpdaterFixture.name) }
            #expect(error?.code == .networkUnavailable)
            #expect(client.page == "1.0.0")
        }
    }

    @Test("nothing that a plan has fetched stays when another one has succeeded, whatever was left by the first")
    func leftovers() async throws {
        try await DeliveryFixture.using { fixture in
            let publisher = fixture.publisher
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.response(DeliveryFixture.patch) { _ in
                OriginResponse(
                    .ok,
                    [.eTag: #""v""#],
                    [Array(patch.prefix(100))],
                    failure: OriginResponse.connectionLost
                )
            }
            _ = try await fixture.update()
            try fixture.expectUpdated()
        }
    }

    /// What was begun by a plan that failed may be resumed by another one.
    private func expectUpdatedWithPartialFiles(_ fixture: DeliveryFixture) throws {
        #expect(fixture.client.page == "1.1.0")
        #expect(fixture.files == DeliveryFixture.new)
    }

    @Test("a damaged copy in the store isn't taken for the file that it was: the archive is fetched")
    func damagedStore() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let client = fixture.client
            try SegmentDamage.flip(DeliveryFixture.text(4), inStore: client.directory.path)
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            #expect(fixture.files == DeliveryFixture.new)
        }
    }

    @Test("a patch for a release whose stored files are damaged leads to nothing, and the missing files are fetched")
    func damagedBase() async throws {
        try await DeliveryFixture.using { fixture in
            let client = fixture.client
            try SegmentDamage.flip(DeliveryFixture.text(2), inStore: client.directory.path)
            let report = try await fixture.update()
            #expect(report.failures.first?.plan == .patch)
            #expect(fixture.files == DeliveryFixture.new)
        }
    }

    @Test("a release with another version inside than advertised is refused by every plan")
    func otherVersion() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let feed = String(decoding: try #require(try publisher.files()["feed.json"]), as: UTF8.self)
            let lying = feed.replacing(#""version": "1.1.0""#, with: #""version": "1.2.0""#)
            publisher.network.response(UpdaterFixture.feed, .ok, [:], lying)
            let error = await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(error?.code == .invalidFeed)
            #expect(client.page == "1.0.0")
        }
    }

    @Test("a release that is found to be wrong when a patch has led to it isn't fetched again")
    func refusedPatch() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let patch = try #require(try publisher.files()[DeliveryFixture.patch])
            publisher.response(DeliveryFixture.patch) { _ in
                try client.install("1.1.0")
                try client.store.activate(UpdaterFixture.name, BundleVersion("1.0.0"))
                try client.store.setHold(false, UpdaterFixture.name)
                return OriginResponse(.ok, [:], [patch])
            }
            let error = await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(error?.code == .versionConflict)
            #expect((error?.cause as? RefusedRelease)?.isFinal == true)
            let failed = try client.store.failedReleases(of: UpdaterFixture.name)
            #expect(failed.map(\.version.string) == ["1.1.0"])
            #expect(!publisher.requests.contains { $0.hasPrefix(DeliveryFixture.archive) })
        }
    }

    @Test("a cancelled update ends, and keeps the old version")
    func cancelled() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            publisher.response(DeliveryFixture.patch) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
            await #expect(throws: CancellationError.self) {
                try await Task { try await client.updater.update(UpdaterFixture.name) }.value
            }
            #expect(client.page == "1.0.0")
        }
    }
}

import BundleInstall
import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Delivering a release")
struct DeliveryTests {
    private static let patch = "shop-1.1.0.from-1.0.0.patch"
    private static let list = "shop-1.1.0.contents.json.zst"
    private static let archive = "shop-1.1.0.zip"

    private static let waiting: InstallOptions = {
        var options = InstallOptions()
        options.waits = true
        return options
    }()

    /// Text that doesn't compress, the same in each run.
    private static func text(_ seed: UInt64, _ count: Int = 20_000) -> String {
        var generator = SeededGenerator(seed: seed)
        return String(
            decoding: (0..<count).map { _ in UInt8.random(in: 0x20..<0x7F, using: &generator) },
            as: UTF8.self
        )
    }

    private static let old = ["a.js": text(1), "b.js": text(2), "c.js": text(3), "d.js": text(4)]
    /// One file is renamed, one changed a little, one new, and one as it was.
    private static let new = ["A.js": text(1), "b.js": text(2) + "!", "n.js": text(5), "d.js": text(4)]

    /// A client with 1.0.0, and a publisher of 1.0.0 and 1.1.0.
    private func using(
        patches: Int = 3,
        new: [String: String] = Self.new,
        _ body: (UpdaterFixture, PublisherFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let client = try UpdaterFixture(in: directory, local: nil)
            let publisher = PublisherFixture(directory: directory, network: client.network)
            try publisher.publish("1.0.0", Self.old, patches: patches)
            _ = try Installer(client.store).install(archive: directory.path(of: "in-1.0.0"))
            try publisher.publish("1.1.0", new, patches: patches)
            try await body(client, publisher)
        }
    }

    private func update(_ client: UpdaterFixture) async throws -> DeliveryReport {
        let result = try await client.updater.update(UpdaterFixture.name)
        guard case .updated(_, _, let report?) = result else { throw BundleError(.invalidFeed, "nothing was fetched") }
        return report
    }

    /// Every file of the active release, by its path.
    private func files(_ client: UpdaterFixture) -> [String: String] {
        let assets = client.store.snapshot.bundles[UpdaterFixture.name]?.active?.assets.map(\.self) ?? []
        return Dictionary(
            uniqueKeysWithValues: assets.map {
                ($0.path, $0.contents.map { String(decoding: $0.array, as: UTF8.self) } ?? "")
            }
        ).filter { $0.key.hasSuffix(".js") }
    }

    private func expectUpdated(_ client: UpdaterFixture, to expected: [String: String] = Self.new) throws {
        #expect(client.page == "1.1.0")
        #expect(files(client) == expected)
        #expect(try client.downloads.isEmpty)
        #expect(try client.store.verify().isEmpty)
    }

    @Test("a patch is fetched when the store has the release that it is for, and nothing else")
    func patch() async throws {
        try await using { client, publisher in
            let report = try await update(client)
            let size = Int64(try #require(try publisher.files()[Self.patch]).count)
            #expect(report == DeliveryReport(plan: .patch, predictedByteCount: size, receivedByteCount: size))
            #expect(publisher.requests == ["feed.json", Self.patch])
            try expectUpdated(client)
        }
    }

    @Test("beside a patch the content list is read only when the store has more than the patch's base")
    func listBesidePatch() async throws {
        try await using { client, publisher in
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", #""origins": []"#),
                files: ["x/n.js": Self.text(5), "b.js": Self.text(2) + "!"]
            )
            let report = try await update(client)
            #expect((report.plan, report.failures) == (.entries, []))
            #expect(publisher.requests.prefix(2) == ["feed.json", Self.list])
            #expect(!publisher.requests.contains(Self.patch))
            try expectUpdated(client)
        }
    }

    @Test("without a patch, only the files are fetched that the store lacks, with those between them")
    func entries() async throws {
        try await using(patches: 0) { client, publisher in
            let report = try await update(client)
            #expect((report.plan, report.failures) == (.entries, []))
            #expect(report.predictedByteCount == report.receivedByteCount)
            let files = try publisher.files()
            let needed = 3 * 20_000 + 4 + (try #require(files[Self.list])).count
            #expect(report.receivedByteCount > needed - 20_000 && report.receivedByteCount < needed)
            #expect(publisher.requests.prefix(2) == ["feed.json", Self.list])
            #expect(publisher.requests.dropFirst(2).allSatisfy { $0.hasPrefix("\(Self.archive) bytes=") })
            try expectUpdated(client)
        }
    }

    @Test("contents that any bundle and version in the store has aren't fetched")
    func otherBundle() async throws {
        try await using(patches: 0) { client, publisher in
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", #""origins": []"#),
                files: ["x/n.js": Self.text(5), "b.js": Self.text(2) + "!"]
            )
            let report = try await update(client)
            #expect(report.plan == .entries)
            #expect(report.receivedByteCount < 2_000, "the page, the manifest, and the list")
            try expectUpdated(client)
        }
    }

    @Test("when nothing is lacking, nothing is fetched but the list")
    func nothingLacking() async throws {
        try await using(patches: 0) { client, publisher in
            let files = Self.new.merging(["index.html": "1.1.0"]) { $1 }
            let manifest = PublisherFixture.manifest("1.1.0")
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", #""origins": []"#),
                files: files.merging(["copy.json": manifest]) { $1 }
            )
            let report = try await update(client)
            #expect(report.receivedByteCount == Int64(try #require(try publisher.files()[Self.list]).count))
            #expect(!publisher.requests.contains { $0.hasPrefix(Self.archive) })
            try expectUpdated(client)
        }
    }

    @Test("when everything is new, the archive is fetched as a whole")
    func everythingNew() async throws {
        let new = Dictionary(uniqueKeysWithValues: (10..<14).map { ("\($0).js", Self.text(UInt64($0))) })
        try await using(patches: 0, new: new) { client, publisher in
            let report = try await update(client)
            let size = try #require(try publisher.files()[Self.archive]).count
            #expect(report.receivedByteCount <= size + size / 8)
            try expectUpdated(client, to: new)
        }
    }

    @Test("a compressed tar has patches, and no ranges")
    func compressedTar() async throws {
        try await withTemporaryDirectory { directory in
            let client = try UpdaterFixture(in: directory, local: nil)
            let publisher = PublisherFixture(directory: directory, network: client.network)
            for (version, files) in [("1.0.0", Self.old), ("1.1.0", Self.new)] {
                let manifest = #"{"name": "shop", "version": "\#(version)", \#(UpdaterFixture.members)}"#
                let all = files.merging(["bundle.json": manifest, "index.html": version]) { $1 }
                let tar = TarFixture(
                    all.sorted { $0.key < $1.key }.map { TarFixtureEntry($0.key, Array($0.value.utf8)) }
                )
                try publisher.publish(
                    version,
                    [:],
                    fileExtension: "tar.gz",
                    archive: { _ in GzipFixture(tar.bytes).bytes }
                )
                if version == "1.0.0" {
                    _ = try Installer(client.store).install(archive: directory.path(of: "in-1.0.0"))
                }
            }
            publisher.response(Self.patch) { _ in OriginResponse(.notFound, [:], "") }
            let report = try await update(client)
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.patch]))
            try expectUpdated(client)
        }
    }

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
        try await using { client, publisher in
            let patch = try #require(try publisher.files()[Self.patch])
            publisher.response(Self.patch) { try fault.response(to: $0, with: patch) }
            let report = try await update(client)
            #expect((report.plan, report.failures.map(\.plan)) == (.entries, [.patch]))
            try expectUpdatedWithPartialFiles(client)
        }
    }

    @Test("whatever is wrong with a content list, the archive is fetched instead", arguments: Fault.allCases)
    func listFault(_ fault: Fault) async throws {
        guard ![.rangeIgnored, .otherRange, .otherLength].contains(fault) else { return }
        try await using(patches: 0) { client, publisher in
            let list = try #require(try publisher.files()[Self.list])
            publisher.response(Self.list) { try fault.response(to: $0, with: list) }
            let report = try await update(client)
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            try expectUpdated(client)
        }
    }

    @Test("whatever is wrong with ranges, the whole archive is fetched instead", arguments: Fault.allCases)
    func rangeFault(_ fault: Fault) async throws {
        try await using(patches: 0) { client, publisher in
            let archive = try #require(try publisher.files()[Self.archive])
            publisher.response(Self.archive) { request in
                guard request.headerFields[.range] != nil else { return OriginResponse(.ok, [:], [archive]) }
                return try fault.response(to: request, with: archive)
            }
            let report = try await update(client)
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            try expectUpdatedWithPartialFiles(client)
        }
    }

    @Test(
        "cut at any tenth and then unreachable, the old version stays, and the next update goes on from there",
        arguments: ["shop-1.1.0.from-1.0.0.patch", "shop-1.1.0.contents.json.zst", "shop-1.1.0.zip"],
        0..<10
    )
    func cut(file: String, tenth: Int) async throws {
        try await using(patches: file == Self.patch ? 3 : 0) { client, publisher in
            let files = try publisher.files()
            for (name, bytes) in files where name != "feed.json" {
                publisher.response(name) { request in
                    guard name == file else { throw BundleError(.networkUnavailable, "no route") }
                    let part = RequestedPart(request.headerFields[.range], bytes.count)
                    let cut = Array(bytes[part.range].prefix(part.range.count * tenth / 10))
                    return part.response(cut, failure: OriginResponse.connectionLost)
                }
            }
            await #expect(throws: BundleError.self) { try await update(client) }
            #expect(client.page == "1.0.0")
            for (name, bytes) in files { publisher.network.response(PublisherFixture.base + name, file: bytes) }
            let report = try await update(client)
            #expect(report.failures.isEmpty)
            #expect(client.page == "1.1.0")
            #expect(self.files(client) == Self.new)
            #expect(try client.store.verify().isEmpty)
        }
    }

    @Test("two updaters of one store don't fetch a release twice")
    func twoUpdaters() async throws {
        try await using { client, publisher in
            let other = try BundleStore(at: client.directory.path, creating: true)
            let second = Updater(other, installer: Installer(other), transport: client.network)
            let options = Self.waiting
            async let first = client.updater.update(UpdaterFixture.name, options: options)
            async let last = second.update(UpdaterFixture.name, options: options)
            let results = try await [first, last]
            let updated = results.count { if case .updated = $0 { true } else { false } }
            #expect(updated == 1)
            #expect(publisher.requests.count { $0 == Self.patch } == 1)
            try client.store.refresh()
            #expect(client.page == "1.1.0")
        }
    }

    @Test("a release that is installed with other content than the feed offers isn't activated")
    func otherContent() async throws {
        try await using { client, publisher in
            try client.install("1.1.0")
            try client.store.activate(UpdaterFixture.name, #require(BundleVersion("1.0.0")))
            try client.store.setHold(false, UpdaterFixture.name)
            let error = await #expect(throws: BundleError.self) { try await update(client) }
            #expect(error?.code == .versionConflict)
            #expect(client.page == "1.0.0")
        }
    }

    @Test(
        "a bundle that is put on hold or removed while its release is fetched is left as it is",
        arguments: [true, false]
    )
    func changedMeanwhile(isRemoved: Bool) async throws {
        try await using { client, publisher in
            let patch = try #require(try publisher.files()[Self.patch])
            publisher.response(Self.patch) { _ in
                if isRemoved {
                    _ = try client.store.remove(UpdaterFixture.name, nil)
                } else {
                    try client.store.setHold(true, UpdaterFixture.name)
                }
                return OriginResponse(.ok, [:], [patch])
            }
            let error = await #expect(throws: BundleError.self) { try await update(client) }
            #expect(error?.code == .storeBusy)
            #expect(client.active == (isRemoved ? nil : "1.0.0"))
            #expect(!publisher.requests.contains { $0.hasPrefix(Self.archive) })
        }
    }

    @Test("what is wrong with the only plan that a metered link permits is a failure, and not a postponement")
    func meteredFailure() async throws {
        try await using { client, publisher in
            publisher.response(Self.patch) { _ in OriginResponse(.notFound, [:], "no") }
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
        try await using { client, publisher in
            let patch = try #require(try publisher.files()[Self.patch])
            publisher.response(Self.patch) { _ in
                OriginResponse(
                    .ok,
                    [.eTag: #""v""#],
                    [Array(patch.prefix(100))],
                    failure: OriginResponse.connectionLost
                )
            }
            _ = try await update(client)
            try expectUpdated(client)
        }
    }

    /// What was begun by a plan that failed may be resumed by another one.
    private func expectUpdatedWithPartialFiles(_ client: UpdaterFixture) throws {
        #expect(client.page == "1.1.0")
        #expect(files(client) == Self.new)
    }

    @Test("ranges are resumed by another process where they stopped")
    func resumedRanges() async throws {
        try await using(patches: 0) { client, publisher in
            let archive = try #require(try publisher.files()[Self.archive])
            publisher.response(Self.archive) { request in
                guard request.headerFields[.range] != nil else { throw BundleError(.networkUnavailable, "no route") }
                let part = RequestedPart(request.headerFields[.range], archive.count)
                // The first range breaks after 1,000 bytes, and then nothing comes any more.
                guard part.range.count > 1_000, client.network.requests.count == 3 else {
                    throw BundleError(.networkUnavailable, "no route")
                }
                return part.response(Array(archive[part.range].prefix(1_000)), failure: OriginResponse.connectionLost)
            }
            await #expect(throws: BundleError.self) { try await update(client) }
            #expect(client.page == "1.0.0")
            publisher.network.response(PublisherFixture.base + Self.archive, file: archive)
            let report = try await update(client)
            #expect(report.plan == .entries)
            try expectUpdated(client)
        }
    }

    @Test("a damaged copy in the store isn't taken for the file that it was: the archive is fetched")
    func damagedStore() async throws {
        try await using(patches: 0) { client, publisher in
            try SegmentDamage.flip(Self.text(4), inStore: client.directory.path)
            let report = try await update(client)
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            #expect(files(client) == Self.new)
        }
    }

    @Test("a patch for a release whose stored files are damaged leads to nothing, and the missing files are fetched")
    func damagedBase() async throws {
        try await using { client, publisher in
            try SegmentDamage.flip(Self.text(2), inStore: client.directory.path)
            let report = try await update(client)
            #expect(report.failures.first?.plan == .patch)
            #expect(files(client) == Self.new)
        }
    }

    @Test("a release with another version inside than advertised is refused by every plan")
    func otherVersion() async throws {
        try await using { client, publisher in
            let feed = String(decoding: try #require(try publisher.files()["feed.json"]), as: UTF8.self)
            let lying = feed.replacing(#""version": "1.1.0""#, with: #""version": "1.2.0""#)
            publisher.network.response(UpdaterFixture.feed, .ok, [:], lying)
            let error = await #expect(throws: BundleError.self) { try await update(client) }
            #expect(error?.code == .invalidFeed)
            #expect(client.page == "1.0.0")
        }
    }

    @Test("a cancelled update ends, and keeps the old version")
    func cancelled() async throws {
        try await using { client, publisher in
            publisher.response(Self.patch) { _ in
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

/// What a `Range` field asks for, and responses to it.
private struct RequestedPart {
    let range: Range<Int>
    let isPart: Bool
    let length: Int

    init(_ field: String?, _ length: Int) {
        self.length = length
        let ends = field?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
        isPart = !ends.isEmpty
        range = isPart ? ends[0]..<(ends.count > 1 ? ends[1] + 1 : length) : 0..<length
    }

    func response(
        _ bytes: [UInt8],
        shiftedBy shift: Int = 0,
        length: Int? = nil,
        failure: BundleError? = nil
    ) -> OriginResponse {
        var fields = HTTPFields()
        if isPart {
            fields[.contentRange] =
                "bytes \(range.lowerBound + shift)-\(range.upperBound + shift - 1)/\(length ?? self.length)"
        }
        return OriginResponse(isPart ? .partialContent : .ok, fields, [bytes], failure: failure)
    }
}

import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Installations of an archive by URL and digest")
struct VerifiedDownloadTests {
    private static let url = URL(string: "https://get.example.com/any?token=secret")!
    private static let archive = UpdaterFixture.archive("1.0.0")

    private func install(
        _ fixture: UpdaterFixture,
        _ digest: Digest = Digest(of: archive),
        _ options: InstallOptions = InstallOptions()
    ) async throws -> InstallReport {
        try await fixture.updater.install(archive: Self.url, digest: digest, options: options)
    }

    private func withFixture(_ body: (UpdaterFixture) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.network.response(Self.url.absoluteString, file: Self.archive)
            try await body(fixture)
        }
    }

    @Test("an archive with the digest is installed, whether or not its length is known")
    func installed() async throws {
        try await withFixture { fixture in
            let first = try await install(fixture)
            #expect(first.outcome == .installed)
            #expect(fixture.page == "1.0.0")
            #expect(try fixture.downloads.isEmpty)
            fixture.network.response(Self.url.absoluteString) { _ in
                OriginResponse(.ok, [:], [Array(Self.archive.prefix(10)), Array(Self.archive.dropFirst(10))])
            }
            let second = try await install(fixture)
            #expect(second.outcome == .unchanged)
        }
    }

    @Test("one with another digest isn't, and nothing of it is kept; the URL's query isn't shown")
    func other() async throws {
        try await withFixture { fixture in
            let error = await #expect(throws: BundleError.self) { try await install(fixture, Digest(of: [])) }
            #expect(error?.code == .invalidArchive)
            #expect(error?.message.contains(Digest(of: Self.archive).hex) == true)
            #expect(error?.message.contains("secret") == false)
            #expect(fixture.store.snapshot.bundles.isEmpty)
            let downloads = try fixture.downloads
            #expect(downloads.isEmpty)
        }
    }

    @Test("a download that broke off is resumed", arguments: [1, 50, archive.count - 1])
    func resumed(_ count: Int) async throws {
        try await withFixture { fixture in
            fixture.network.response(Self.url.absoluteString) { _ in
                let fields: HTTPFields = [.contentLength: "\(Self.archive.count)"]
                return OriginResponse(.ok, fields, [Array(Self.archive.prefix(count))])
            }
            let error = await #expect(throws: BundleError.self) { try await install(fixture) }
            #expect(error?.code == .networkUnavailable)
            fixture.network.response(Self.url.absoluteString, file: Self.archive)
            _ = try await install(fixture)
            #expect(fixture.network.requests.last?.headerFields[.range] == "bytes=\(count)-")
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test(
        "whatever a server does with the range, the archive is whole",
        arguments: [
            (200, nil, 0), (416, "bytes */5", nil), (206, "bytes 0-4/5", nil), (206, nil, nil),
            (206, "pages 5-6/7", nil),
        ] as [(Int, String?, Int?)]
    )
    func oddRanges(_ status: Int, _ range: String?, _ start: Int?) async throws {
        try await withFixture { fixture in
            let path = fixture.store.downloadPath(for: DownloadKey(Digest(of: Self.archive), of: nil))
            try Data(repeating: 7, count: 20).write(to: URL(fileURLWithPath: path))
            fixture.network.response(Self.url.absoluteString) { request in
                guard request.headerFields[.range] != nil else { return OriginResponse(.ok, [:], [Self.archive]) }
                var fields = HTTPFields()
                fields[.contentRange] = range
                return OriginResponse(.init(code: status), fields, [start.map { Array(Self.archive[$0...]) } ?? [1]])
            }
            _ = try await install(fixture)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("a wrong part of an earlier attempt is found out, and the archive is fetched from the start")
    func wrongPart() async throws {
        try await withFixture { fixture in
            let path = fixture.store.downloadPath(for: DownloadKey(Digest(of: Self.archive), of: nil))
            try Data(repeating: 7, count: 20).write(to: URL(fileURLWithPath: path))
            _ = try await install(fixture)
            #expect(fixture.network.requests.map { $0.headerFields[.range] } == ["bytes=20-", nil])
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a connection that breaks is resumed at once, by the entity tag that the server gave")
    func resumedAtOnce() async throws {
        try await withFixture { fixture in
            fixture.network.response(Self.url.absoluteString) { request in
                guard request.headerFields[.range] == nil else {
                    let fields: HTTPFields = [.contentRange: "bytes 50-\(Self.archive.count - 1)/\(Self.archive.count)"]
                    return OriginResponse(.partialContent, fields, [Array(Self.archive[50...])])
                }
                let begun = [Array(Self.archive.prefix(50))]
                return OriginResponse(.ok, [.eTag: #""v1""#], begun, failure: OriginResponse.connectionLost)
            }
            _ = try await install(fixture)
            #expect(fixture.network.requests.map { $0.headerFields[.range] } == [nil, "bytes=50-"])
            #expect(fixture.network.requests.last?.headerFields[.ifRange] == #""v1""#)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("a download ends at its deadline")
    func deadline() async throws {
        try await withFixture { fixture in
            let never = Latch()
            fixture.network.response(Self.url.absoluteString) { _ in
                try await never.wait()
                return OriginResponse(.ok)
            }
            let installation = Task { try await install(fixture) }
            try await fixture.clock.waitForSleeps(2)
            fixture.clock.advance(by: .seconds(3_601))
            let error = await #expect(throws: BundleError.self) { try await installation.value }
            #expect(error?.code == .networkUnavailable)
        }
    }

    @Test("one that is over the limit, or for which there is no room, isn't fetched", arguments: [true, false])
    func tooLong(_ tellsLength: Bool) async throws {
        try await withFixture { fixture in
            fixture.network.response(Self.url.absoluteString) { _ in
                let fields: HTTPFields = tellsLength ? [.contentLength: "40000000"] : [:]
                return OriginResponse(
                    .ok,
                    fields,
                    [[UInt8]](repeating: [UInt8](repeating: 1, count: 1 << 20), count: 40)
                )
            }
            var options = InstallOptions()
            options.limits.maximumTotalByteCount = 1
            options.limits.maximumEntryCount = 1
            let long = await #expect(throws: BundleError.self) { try await install(fixture, Digest(of: []), options) }
            #expect(long?.code == .invalidArchive)
            try fixture.store.setQuota(1_000_000)
            let room = await #expect(throws: BundleError.self) { try await install(fixture, Digest(of: [])) }
            #expect(room?.code == .quotaExceeded)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("another status is no archive", arguments: [204, 304, 404, 500])
    func statuses(_ status: Int) async throws {
        try await withFixture { fixture in
            fixture.network.response(Self.url.absoluteString, .init(code: status), [:], "")
            let error = await #expect(throws: BundleError.self) { try await install(fixture) }
            #expect(error?.code == .networkUnavailable)
            let downloads = try fixture.downloads
            #expect(downloads.isEmpty)
        }
    }
}

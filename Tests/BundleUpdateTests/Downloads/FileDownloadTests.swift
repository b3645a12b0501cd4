import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@Suite("Downloading a release")
struct FileDownloadTests {
    private static let source = UpdaterFixture.source("1.1.0")

    /// Writes the beginning of an archive, as an earlier attempt would have left it.
    private func leave(_ bytes: some Sequence<UInt8>, of archive: [UInt8], _ fixture: UpdaterFixture) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: fixture.downloadPath(for: Digest(of: archive))))
    }

    /// The requested ranges, nil for the whole.
    private func ranges(_ fixture: UpdaterFixture) -> [String?] {
        fixture.network.requests.filter { $0.path?.hasSuffix(".zip") == true }.map { $0.headerFields[.range] }
    }

    @Test("a download resumes where an earlier attempt stopped")
    func resumed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == ["bytes=100-"])
            #expect(fixture.page == "1.1.0")
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a complete archive isn't fetched again")
    func complete() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive, of: archive, fixture)
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture).isEmpty)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("a beginning longer than the archive is discarded")
    func tooMuch() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive + [0], of: archive, fixture)
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == [nil])
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("when a server ignores the range and sends everything, the archive is written from the start")
    func rangeIgnored() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            fixture.network.response(Self.source) { _ in OriginResponse(.ok, [:], [archive]) }
            #expect(await fixture.failure() == nil)
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test(
        "after a range that the server can't send, or another than requested, the archive is fetched from the start",
        arguments: [
            (416, nil), (416, "bytes */*"), (206, nil), (206, "bytes 50-99/*"), (206, "bytes -5-9/*"),
            (206, "rows 100-200/*"),
        ] as [(Int, String?)]
    )
    func refusedRange(code: Int, contentRange: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            fixture.network.response(Self.source) { request in
                if request.headerFields[.range] == nil { return OriginResponse(.ok, [:], [archive]) }
                var fields = HTTPFields()
                fields[.contentRange] = contentRange
                return OriginResponse(HTTPResponse.Status(code: code), fields, "odd")
            }
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == ["bytes=100-", nil])
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("a server that has no part of an archive is asked for the whole once, and then left alone for now")
    func refusesEverything() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            fixture.network.response(Self.source, .rangeNotSatisfiable, [.contentRange: "bytes */\(archive.count)"], "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            #expect(ranges(fixture) == ["bytes=100-", nil])
            #expect(fixture.page == "1.0.0")
            #expect(try fixture.store.retry(of: UpdaterFixture.name, .release(Digest(of: archive))) != nil)
        }
    }

    @Test("a connection that breaks leaves the old version, and the received part for the next attempt")
    func broken() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            fixture.network.response(Self.source) { _ in
                OriginResponse(
                    .ok,
                    [.contentLength: String(archive.count)],
                    [Array(archive[..<50]), Array(archive[50..<80])],
                    failure: OriginResponse.connectionLost
                )
            }
            #expect(await fixture.failure()?.code == .networkUnavailable)
            #expect(fixture.page == "1.0.0")
            #expect(try fixture.downloads.count == 1)
            fixture.network.response(Self.source, file: archive)
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == [nil, "bytes=80-", "bytes=80-"], "the second attempt brought nothing new")
            #expect(fixture.page == "1.1.0")
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a connection that breaks again and again is resumed, as long as each attempt brings something")
    func resumedAtOnce() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            let piece = archive.count / 4 + 1
            fixture.network.response(Self.source) { request in
                let start = request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                let end = min(start + piece, archive.count)
                var fields: HTTPFields = [.eTag: #""v1""#]
                if start > 0 { fields[.contentRange] = "bytes \(start)-\(archive.count - 1)/\(archive.count)" }
                return OriginResponse(
                    start > 0 ? .partialContent : .ok,
                    fields,
                    [Array(archive[start..<end])],
                    failure: end < archive.count ? OriginResponse.connectionLost : nil
                )
            }
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == [nil] + (1...3).map { "bytes=\($0 * piece)-" })
            #expect(fixture.network.requests.suffix(3).allSatisfy { $0.headerFields[.ifRange] == #""v1""# })
            #expect(fixture.page == "1.1.0")
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test(
        "another process asks for the rest of what it began, by the strong entity tag that the server gave",
        arguments: [(#""v1""#, #""v1""#), (#"W/"v1""#, nil), (nil, nil), ("v1", nil)] as [(String?, String?)]
    )
    func validator(sent: String?, asked: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            var fields = HTTPFields()
            fields[.eTag] = sent
            fixture.network.response(Self.source) { [fields] request in
                guard request.headerFields[.range] == nil else { return OriginResponse(.serviceUnavailable, [:], "") }
                return OriginResponse(.ok, fields, [Array(archive[..<80])], failure: OriginResponse.connectionLost)
            }
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.network.response(Self.source, file: archive)
            let other = try BundleStore(at: directory.path, creating: true)
            let updater = Updater(other, installer: Installer(other), transport: fixture.network)
            _ = try await updater.update(UpdaterFixture.name)
            #expect(fixture.network.requests.last?.headerFields[.range] == "bytes=80-")
            #expect(fixture.network.requests.last?.headerFields[.ifRange] == asked)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a body of unknown length that ends early may be resumed")
    func cutShort() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            fixture.network.response(Self.source) { _ in OriginResponse(.ok, [:], [Array(archive[..<80])]) }
            #expect(await fixture.failure()?.code == .networkUnavailable)
            fixture.network.response(Self.source, file: archive)
            #expect(await fixture.failure() == nil)
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("an archive of another digest or size leaves nothing but the old version", arguments: [-20, -1, 0, 1, 20])
    func otherArchive(extra: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            let other =
                extra < 0 ? Array(archive.dropLast(-extra)) : archive.map { $0 ^ 1 } + Array(repeating: 0, count: extra)
            for isLengthKnown in extra < 0 ? [true] : [true, false] {
                fixture.network.response(Self.source) { _ in
                    OriginResponse(.ok, isLengthKnown ? [.contentLength: String(other.count)] : [:], [other])
                }
                #expect(await fixture.failure()?.code == .invalidFeed)
                #expect(try fixture.downloads.isEmpty)
                #expect(fixture.page == "1.0.0")
            }
        }
    }

    @Test("what was begun of something else is fetched from the start, once", arguments: [1, 100, nil] as [Int?])
    func changedArchive(count: Int?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            let begun = count ?? archive.count
            try leave(archive.prefix(begun).map { $0 ^ 1 }, of: archive, fixture)
            #expect(await fixture.failure() == nil)
            #expect(ranges(fixture) == (begun < archive.count ? ["bytes=\(begun)-"] : []) + [nil])
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("what is wrong from the start too is refused, and nothing of it is kept")
    func wrongArchive() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            fixture.network.response(Self.source, file: archive.map { $0 ^ 1 })
            #expect(await fixture.failure()?.code == .invalidFeed)
            #expect(ranges(fixture) == ["bytes=100-", nil])
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a shorter archive is detected by the range's total")
    func shorterThanWhatIsThere() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(100), of: archive, fixture)
            fixture.network.response(Self.source, file: Array(archive.prefix(90)))
            #expect(await fixture.failure()?.code == .invalidFeed)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("a missing archive is the server's fault", arguments: [401, 404, 500, 503, 204])
    func missing(code: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            fixture.network.response(Self.source, HTTPResponse.Status(code: code), [:], "sorry")
            let failure = await fixture.failure()
            #expect(failure?.code == .networkUnavailable)
            let advices = [401: "give the server's user and password, or correct them", 503: "try again later"]
            let advice = advices[code] ?? "publish the file, or correct the feed"
            #expect(failure?.message.hasSuffix("; \(advice)") == true)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("redirects are followed, for the feed and for the archive, with the range")
    func redirects() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish([("1.1.0", [])], feed: "https://get.example.com/shop/feed2.json")[0]
            try leave(archive.prefix(100), of: archive, fixture)
            let hops = [
                UpdaterFixture.feed: "feed2.json", Self.source: "https://cdn.example.com/a?token=1",
                "https://cdn.example.com/a?token=1": "//mirror.example.com/z",
            ]
            for (url, location) in hops { fixture.network.response(url, .found, [.location: location], "") }
            fixture.network.response("https://mirror.example.com/z", file: archive)
            #expect(await fixture.failure() == nil)
            #expect(fixture.page == "1.1.0")
            #expect(fixture.network.requests.last?.headerFields[.range] == "bytes=100-")
            #expect(fixture.network.requests.last?.authority == "mirror.example.com")
        }
    }

    @Test(
        "a redirect that never ends, leaves https or has no valid target isn't followed",
        arguments: [
            UpdaterFixture.feed, "http://get.example.com/x", "ftp://get.example.com/x", "file:///etc/passwd", nil,
        ]
    )
    func refusedRedirects(location: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])], feed: "http://get.example.com/x")
            var fields = HTTPFields()
            fields[.location] = location
            fixture.network.response(UpdaterFixture.feed, .movedPermanently, fields, "")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            #expect(fixture.network.requests.allSatisfy { $0.scheme == "https" })
            #expect(fixture.network.requests.count <= 6)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("progress only increases, to twice the advertised size: once for fetching and once for installing")
    func progress() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            try leave(archive.prefix(10), of: archive, fixture)
            let chunks = stride(from: 10, to: archive.count, by: 64).map {
                Array(archive[$0..<min($0 + 64, archive.count)])
            }
            fixture.network.response(Self.source) { _ in
                OriginResponse(
                    .partialContent,
                    [.contentRange: "bytes 10-\(archive.count - 1)/\(archive.count)"],
                    chunks
                )
            }
            let reports = Mutex<[ByteProgress]>([])
            #expect(await fixture.failure { progress in reports.withLock { $0.append(progress) } } == nil)
            let seen = reports.withLock { $0 }
            let work = Int64(archive.count) * 2
            #expect(seen.allSatisfy { $0.total == work })
            #expect(seen.map(\.done) == seen.map(\.done).sorted())
            #expect(seen.contains { $0.done == Int64(archive.count) })
            #expect(try #require(seen.last).done > Int64(archive.count))
        }
    }
}

import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("A cache on the site's network")
struct SiteCacheTests {
    @Test(
        "has a file below its own URL, with the origin's host as the first part",
        arguments: [
            (
                "http://cache.local:8080", "https://get.example.com/shop/shop-1.0.0.zip",
                "http://cache.local:8080/get.example.com/shop/shop-1.0.0.zip"
            ),
            (
                "http://cache.local/a/", "https://Get.Example.com:443/x%20y",
                "http://cache.local/a/get.example.com/x%20y"
            ),
            ("https://cache.local", "http://127.0.0.1:8081/x", "https://cache.local/127.0.0.1:8081/x"),
            ("http://cache.local", "https://get.example.com/x?token=secret", nil),
            ("http://cache.local", "file:///media/usb/x", nil),
        ]
    )
    func urls(_ cache: String, _ source: String, _ url: String?) throws {
        let source = try #require(URL(string: source))
        #expect(try SiteCache(cache).url(of: source)?.absoluteString == url)
    }

    @Test(
        "isn't a URL with a user or a query, nor anything but http",
        arguments: [
            "cache.local", "ftp://cache.local", "http://me:secret@cache.local", "http://cache.local?x", "http://",
        ]
    )
    func refused(_ url: String) {
        let error = #expect(throws: BundleError.self) { try SiteCache(url) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        "is asked for all that has a digest: patches, lists, parts and archives, and gets no credentials of the origin",
        arguments: [Plan.patch, .entries, .archive]
    )
    func asked(_ plan: Plan) async throws {
        let token = ["https://get.example.com": ["Authorization": "Bearer secret"]]
        let passwords = "machine cache.local login me password secret"
        let credentials = try FeedCredentials(netrc: passwords).adding(FeedCredentials(fields: token))
        try await withCache(plan, credentials) { cached async throws in
            cached.serve { $1 }
            #expect(try await cached.fixture.update().plan == plan.kind)
            try cached.fixture.expectUpdated(to: plan.files)
            #expect(cached.askedOfOrigin == ["feed.json"])
            #expect(!cached.askedOfCache.isEmpty)
            for request in cached.requests {
                let isCache = request.authority == "cache.local:8080"
                #expect(request.headerFields[.authorization] == (isCache ? nil : "Bearer secret"))
            }
        }
    }

    @Test(
        "that lies brings no wrong byte, and isn't asked again",
        arguments: [Plan.patch, .entries, .archive]
    )
    func lying(_ plan: Plan) async throws {
        try await withCache(plan) { cached async throws in
            cached.serve { _, bytes in bytes.map { $0 ^ 0x55 } }
            let report = try await cached.fixture.update()
            #expect((report.plan, report.failures) == (plan.kind, []))
            try cached.fixture.expectUpdated(to: plan.files)
            let count = cached.askedOfCache.count
            try cached.publishNext()
            _ = try await cached.fixture.client.updater.update(UpdaterFixture.name)
            #expect(cached.fixture.client.active == "1.2.0")
            #expect(cached.askedOfCache.count == count)
        }
    }

    @Test("that lies in parts of the archive alone leaves the plan as it is", arguments: [true, false])
    func lyingParts(isWhole: Bool) async throws {
        try await withCache(.entries) { cached async throws in
            cached.serve { name, bytes in
                guard name == DeliveryFixture.archive else { return bytes }
                return isWhole ? [UInt8](repeating: 0, count: bytes.count) : bytes.dropLast() + [0]
            }
            #expect(try await cached.fixture.update().plan == .entries)
            try cached.fixture.expectUpdated(to: Plan.entries.files)
        }
    }

    @Test(
        "that hasn't a file, or sends less, more or a redirect, is made up for by the origin",
        arguments: Fault.allCases,
        [Plan.patch, .entries, .archive]
    )
    func faulty(_ fault: Fault, _ plan: Plan) async throws {
        try await withCache(plan) { cached async throws in
            try cached.answer { bytes, request in fault.response(bytes, request) }
            let report = try await cached.fixture.update()
            #expect((report.plan, report.failures) == (plan.kind, []))
            try cached.fixture.expectUpdated(to: plan.files)
            #expect(!cached.requests.contains { $0.authority == "elsewhere.test" })
        }
    }

    @Test(
        "that sends no head within five seconds, or no body, costs these once and isn't asked again for an hour",
        arguments: [true, false],
        [Plan.patch, .entries, .archive]
    )
    func dead(sendsHead: Bool, _ plan: Plan) async throws {
        try await withCache(plan) { cached async throws in
            let clock = cached.fixture.client.clock
            let begin = clock.date
            try cached.answer { bytes, request in
                if sendsHead {
                    let whole = Fault.whole(bytes, request)
                    return OriginResponse(head: whole.head, body: BodyStream(Silence(clock: clock)))
                }
                clock.advance(by: .seconds(5))
                try await clock.sleep(for: .seconds(1_000_000))
                return OriginResponse(.ok, [:], "")
            }
            #expect(try await cached.fixture.update().plan == plan.kind)
            try cached.fixture.expectUpdated(to: plan.files)
            #expect(clock.date.timeIntervalSince(begin) == 5)
            #expect(cached.askedOfCache.count == 1)
            clock.advance(by: .seconds(3_599))
            try cached.publishNext()
            _ = try await cached.fixture.client.updater.update(UpdaterFixture.name)
            #expect(cached.askedOfCache.count == 1)
        }
    }

    @Test("that can't be connected to isn't asked again for an hour, and then is")
    func unreachable() async throws {
        try await withCache(.patch) { cached async throws in
            _ = try await cached.fixture.update()
            #expect(cached.askedOfCache.count == 1)
            cached.fixture.client.clock.advance(by: .seconds(3_601))
            try cached.publishNext()
            _ = try await cached.fixture.client.updater.update(UpdaterFixture.name)
            #expect(cached.askedOfCache.count == 2)
        }
    }
}

extension SiteCacheTests {
    /// How the release of a test is fetched.
    enum Plan: String, CaseIterable, CustomTestStringConvertible {
        case patch, entries, archive

        var testDescription: String { rawValue }
        var kind: PlanKind { PlanKind(rawValue: rawValue) ?? .archive }
        /// Where there is little, a content list isn't worth its bytes.
        var files: [String: String] {
            self == .archive ? ["z.js": "little"] : DeliveryFixture.new
        }
    }

    /// What a cache may do instead of sending a file.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case missing, failing, overloaded, redirecting, cut, long, broken, brokenLie, ignoringRanges, empty

        var testDescription: String { rawValue }

        static func whole(_ bytes: [UInt8], _ request: HTTPRequest) -> OriginResponse {
            let part = RequestedPart(request.headerFields[.range], bytes.count)
            return part.response(Array(bytes[part.range]))
        }

        func response(_ bytes: [UInt8], _ request: HTTPRequest) -> OriginResponse {
            let part = RequestedPart(request.headerFields[.range], bytes.count)
            let sent = Array(bytes[part.range])
            func sending(_ bytes: [UInt8], failure: BundleError? = nil) -> OriginResponse {
                part.response(bytes, failure: failure)
            }
            return switch self {
            case .missing: OriginResponse(.notFound, [:], "")
            case .failing: OriginResponse(.badGateway, [:], "")
            case .overloaded: OriginResponse(.serviceUnavailable, [.retryAfter: "7200"], "")
            case .redirecting: OriginResponse(.found, [.location: "https://elsewhere.test/x"], "")
            case .cut: sending(Array(sent.dropLast()))
            case .long: sending(sent + [0])
            case .broken: sending(Array(sent.prefix(50)), failure: OriginResponse.connectionLost)
            case .brokenLie:
                sending([UInt8](repeating: 7, count: min(50, sent.count)), failure: OriginResponse.connectionLost)
            case .ignoringRanges: OriginResponse(.ok, [.contentLength: "\(bytes.count)"], [bytes])
            case .empty: sending([])
            }
        }
    }
}

/// A publisher's release, and a cache in front of it.
private struct Cached {
    static let base = "http://cache.local:8080/bundles/get.example.com/shop/"

    let fixture: DeliveryFixture

    var requests: [HTTPRequest] { fixture.client.network.requests }
    var askedOfCache: [String] { names { $0 == "cache.local:8080" } }
    var askedOfOrigin: [String] { names { $0 == "get.example.com" } }

    private func names(where isMeant: (String?) -> Bool) -> [String] {
        requests.filter { isMeant($0.authority) }.map { $0.path?.split(separator: "/").last.map(String.init) ?? "" }
    }

    /// Has the cache serve what it makes of the publisher's files.
    func serve(_ change: (_ name: String, [UInt8]) -> [UInt8]) {
        for (name, bytes) in (try? fixture.publisher.files()) ?? [:] {
            fixture.client.network.response(Self.base + name, file: change(name, bytes))
        }
    }

    func answer(_ script: @escaping @Sendable ([UInt8], HTTPRequest) async throws -> OriginResponse) throws {
        for (name, bytes) in try fixture.publisher.files() {
            fixture.client.network.response(Self.base + name) { try await script(bytes, $0) }
        }
    }

    /// Publishes another release.
    func publishNext() throws { try fixture.publisher.publish("1.2.0", ["y.js": DeliveryFixture.text(10)]) }
}

/// A body of which nothing comes: its reader waits for five seconds, and goes on waiting.
private struct Silence: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let clock: TestClock

    func makeAsyncIterator() -> Iterator { Iterator(clock: clock) }

    struct Iterator: AsyncIteratorProtocol {
        let clock: TestClock

        mutating func next() async throws -> [UInt8]? {
            clock.advance(by: .seconds(5))
            try await clock.sleep(for: .seconds(1_000_000))
            return nil
        }
    }
}

private func withCache(
    _ plan: SiteCacheTests.Plan,
    _ credentials: FeedCredentials = .none,
    _ body: (Cached) async throws -> Void
) async throws {
    var configuration = Updater.Configuration()
    configuration.siteCache = try SiteCache("http://cache.local:8080/bundles/")
    configuration.credentials = credentials
    try await DeliveryFixture.using(
        patches: plan == .patch ? 3 : 0,
        new: plan.files,
        configuration: configuration
    ) { try await body(Cached(fixture: $0)) }
}

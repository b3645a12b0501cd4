import BundleEmbedding
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Statistics of an app")
struct StatisticsTests {
    @Test("requests are counted by layer")
    func requests() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            fixture.network.response("\(ClientFixture.origin)api", .ok, [.cacheControl: "max-age=1000000000"], "stock")
            for path in ["", "api", "api"] { _ = try await fixture.load("\(ClientFixture.origin)\(path)") }
            let requests = try await fixture.client.statistics().requests
            #expect([requests.active, requests.network, requests.cache, requests.total] == [1, 1, 1, 3])
        }
    }

    @Test("a response that is begun without waiting is counted, and one that is awaited once")
    func begun() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            fixture.network.response("https://m.example.com/shop/stock", .ok, [:], "12")
            let request = ClientFixture.request("\(ClientFixture.origin)app.js")
            guard case .complete = fixture.client.startResponse(to: request) else {
                Issue.record("a bundled file needs no waiting")
                return
            }
            _ = try await fixture.client.respond(to: ClientFixture.request("\(ClientFixture.origin)stock")).bytes()
            let report = try await fixture.client.statistics()
            #expect([report.requests.active, report.requests.network, report.requests.total] == [1, 1, 2])
            #expect(report.bytes.bundle == 6)
            #expect(report.bytes.network == 2)
        }
    }

    @Test("stored responses are listed with their times, the latest first")
    func storedResponses() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            for (path, type) in [("a", "text/css"), ("b", "image/png")] {
                let fields: HTTPFields = [.cacheControl: "max-age=600", .contentType: type]
                fixture.network.response("\(ClientFixture.origin)\(path)", .ok, fields, "12")
                _ = try await fixture.load("\(ClientFixture.origin)\(path)")
            }
            let entries = try await fixture.client.storedResponses()
            #expect(Set(entries.map(\.url)) == ["\(ClientFixture.origin)a", "\(ClientFixture.origin)b"])
            #expect(entries.allSatisfy { $0.byteCount == 2 && $0.status == 200 && $0.release.name.string == "shop" })
            #expect(Set(entries.map(\.mediaType)) == ["text/css", "image/png"])
            #expect(entries.allSatisfy { $0.storedAt <= Date() && (1...600).contains($0.secondsLeft ?? 0) })
            #expect(entries.map(\.storedAt) == entries.map(\.storedAt).sorted(by: >))
            #expect(try await fixture.client.storedResponses(of: "news").isEmpty)
            fixture.client.close()
            await #expect(throws: BundleError.self) { try await fixture.client.storedResponses() }
        }
    }

    @Test("copies for the time without a network are marked in the list, and go with the cache when the user changes")
    func copies() async throws {
        try await withTemporaryDirectory { directory in
            let rules = try CommonRules.parse(#"{"rules": [{"offline": "always"}]}"#).rules
            let fixture = try ClientFixture(in: directory) { $0.rules = rules }
            for (path, cacheControl) in [("copy", "no-store"), ("stored", "max-age=600")] {
                let url = "\(ClientFixture.origin)\(path)"
                fixture.network.response(url, .ok, [.cacheControl: cacheControl], "12")
                _ = try await fixture.load(url)
            }
            let entries = try await fixture.client.storedResponses()
            let copies = entries.filter(\.isOfflineCopy)
            #expect(entries.count == 2 && copies.map(\.url) == ["\(ClientFixture.origin)copy"])
            fixture.client.link.isUp = false
            #expect(try await fixture.load("\(ClientFixture.origin)copy") == "200 stale 12")
            await #expect(throws: BundleError.self) { try await fixture.client.clearCache(of: "news") }
            #expect(try await fixture.client.clearCache(of: ClientFixture.name) == (2, 4))
            #expect(try await fixture.client.clearCache() == (0, 0))
            #expect(try await fixture.client.storedResponses().isEmpty)
            for path in ["copy", "stored"] {
                #expect(try await fixture.load("\(ClientFixture.origin)\(path)").hasPrefix("504"))
            }
            await fixture.client.suspend()
            await #expect(throws: BundleError.self) { try await fixture.client.clearCache() }
        }
    }

    @Test("bytes are counted by host, up and down, heads and contents")
    func traffic() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory) { $0.coversAllOrigins = true }
            fixture.network.response(calling: "https://a.example:8443/up") { call in
                for try await _ in try #require(call.content) {}
                return OriginResponse(.ok, [:], "0123456789")
            }
            fixture.network.response("https://b.example/", .noContent, [.server: "b"], "")
            let upload = await fixture.client.respond(
                to: ClientFixture.request("https://a.example:8443/up", .post, [.contentLength: "5"]),
                from: ClientExchange(content: BodyStream(Array("hello".utf8)), interim: { _ in })
            )
            _ = try await upload.bytes()
            _ = try await fixture.load("https://b.example/")
            let traffic = fixture.client.traffic
            #expect(traffic.map(\.host) == ["a.example", "b.example"])
            #expect(traffic.map(\.requestCount) == [1, 1])
            let head = "POST /up HTTP/1.1\r\nhost: a.example:8443\r\ncontent-length: 5\r\n\r\n"
            #expect(traffic[0].sentByteCount == Int64(head.utf8.count + 5))
            #expect(traffic[0].receivedByteCount == Int64("HTTP/1.1 200 OK\r\n\r\n".utf8.count + 10))
            #expect(traffic[1].receivedByteCount == Int64("HTTP/1.1 204 No Content\r\nserver: b\r\n\r\n".utf8.count))
        }
    }

    @Test("how often stored responses were used is counted by URL")
    func reuses() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            for name in ["a", "b"] {
                fixture.network.response(
                    "\(ClientFixture.origin)\(name)",
                    .ok,
                    [.cacheControl: "max-age=1000000000"],
                    name
                )
            }
            for name in ["a", "b", "b", "b", "a", ""] { _ = try await fixture.load("\(ClientFixture.origin)\(name)") }
            #expect(fixture.client.reuses.map(\.url) == ["b", "a"].map { ClientFixture.origin + $0 })
            #expect(fixture.client.reuses.map(\.count) == [2, 1])
        }
    }
}

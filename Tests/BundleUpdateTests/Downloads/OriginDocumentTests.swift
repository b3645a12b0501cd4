import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate
@testable import HTTPCore

@Suite("Documents of the publisher")
struct OriginDocumentTests {
    private static let url = URL(string: "https://m.example.com/feed.json?token=secret")!

    /// A network that responds at the URL with what is sent to the continuation.
    private func network() -> (ScriptedTransport, AsyncStream<[UInt8]>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let network = ScriptedTransport()
        network.response(Self.url.absoluteString) { _ in
            OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(stream))
        }
        return (network, continuation)
    }

    @Test("an endless document is given up after a minute, naming the URL without its query")
    func deadline() async throws {
        let (clock, (network, continuation)) = (TestClock(), network())
        continuation.yield(Array("{".utf8))
        let document = OriginDocument(transport: network, clock: clock)
        let reading = Task { try await document.bytes(of: Self.url, limit: 1_000) }
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: BundleError.self) { try await reading.value }
        #expect(error?.code == .networkUnavailable)
        #expect(error?.message.hasPrefix("https://m.example.com/feed.json isn't there") == true)
        continuation.finish()
    }

    @Test("a transfer that drips ends when its patience is used up")
    func dripping() async throws {
        let (clock, network, asked, drip, never) = (TestClock(), ScriptedTransport(), Monitor(0), Latch(), Latch())
        network.response(Self.url.absoluteString) { _ in
            let chunks = AsyncThrowingStream<[UInt8], any Error> {
                let number = asked.update { count in
                    count += 1
                    return count
                }
                try await (number == 1 ? drip : never).wait()
                return [1]
            }
            return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(chunks))
        }
        let document = OriginDocument(transport: network, clock: clock)
        let transfer = Task {
            try await document.transfer(Self.url) { response, _ in for try await _ in response.body {} }
        }
        try await clock.waitForSleeps(1)
        try await asked.wait { $0 == 1 ? () : nil }
        clock.advance(by: .seconds(29))
        drip.open()
        try await asked.wait { $0 == 2 ? () : nil }
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: BundleError.self) { try await transfer.value }
        #expect(error?.code == .networkUnavailable)
        #expect(error?.message.contains("sends fewer than 1000 bytes per second") == true)
    }

    @Test("the body keeps to the highest rate, which doesn't count as slow")
    func rate() async throws {
        let (clock, (network, continuation)) = (TestClock(), network())
        var limits = TransferLimits()
        limits.maximumRate = 10
        let document = OriginDocument(transport: network, limits: limits, clock: clock)
        let received = Monitor(0)
        let transfer = Task {
            try await document.transfer(Self.url) { response, _ in
                for try await chunk in response.body { received.update { $0 += chunk.count } }
            }
        }
        // 100 s at this rate.
        continuation.yield([UInt8](repeating: 0, count: 1_000))
        continuation.finish()
        try await clock.waitForSleeps(2)
        for _ in 0..<100 { clock.advance(by: .seconds(1)) }
        try await transfer.value
        #expect(received.state == 1_000)
        #expect(clock.date == TestClock().date + 100)
    }

    private static let text = Array(#"{"name": "shop"}"#.utf8)

    private func document(_ bytes: [UInt8], _ coding: String?, limit: Int = 100) async throws -> [UInt8] {
        let network = ScriptedTransport()
        network.response(Self.url.absoluteString) { request in
            #expect(request.headerFields[.acceptEncoding] == "zstd, gzip")
            return OriginResponse(.ok, coding.map { [.contentEncoding: $0] } ?? [:], [bytes])
        }
        let response = try await OriginDocument(transport: network).document(at: Self.url, limit: limit).response
        guard case .content(let content, _) = response else { return [] }
        return content
    }

    @Test(
        "a document comes in any coding that was asked for, or in none",
        arguments: [
            (nil, text), ("identity", text), ("gzip", GzipFixture(text).bytes), ("GZIP", GzipFixture(text).bytes),
            ("x-gzip", GzipFixture(text).bytes), ("zstd", ZstandardFixture(text).bytes),
            ("gzip", GzipFixture(Array(text.prefix(3))).bytes + GzipFixture(Array(text.dropFirst(3))).bytes),
        ] as [(String?, [UInt8])]
    )
    func codings(_ coding: String?, _ bytes: [UInt8]) async throws {
        #expect(try await document(bytes, coding) == Self.text)
    }

    @Test(
        "one that can't be decoded, or is too long when it is, is refused",
        arguments: [
            ("br", text), ("gzip, gzip", GzipFixture(GzipFixture(text).bytes).bytes), ("gzip", text), ("zstd", text),
            ("gzip", GzipFixture(text).bytes.dropLast()), ("gzip", GzipFixture(text).bytes + [1]), ("gzip", []),
            ("gzip", GzipFixture(text, checksum: 7).bytes), ("zstd", ZstandardFixture(text).bytes.dropLast()),
            ("zstd", ZstandardFixture(text, windowExponent: 40).bytes),
            ("gzip", GzipFixture(Array(repeating: 0x20, count: 101)).bytes),
            ("zstd", ZstandardFixture(Array(repeating: 0x20, count: 101)).bytes),
        ] as [(String, [UInt8])]
    )
    func badCodings(_ coding: String, _ bytes: [UInt8]) async {
        let error = await #expect(throws: BundleError.self) { try await document(bytes, coding) }
        #expect(error?.code == .invalidFeed)
        #expect(error?.message.contains(Self.url.reported) == true)
    }

    @Test("requests carry the User-Agent, after redirects too")
    func userAgent() async throws {
        let network = ScriptedTransport()
        network.response(Self.url.absoluteString, .found, [.location: "/other"], "")
        network.response("https://m.example.com/other", .ok, [:], "{}")
        let document = OriginDocument(transport: network, userAgent: "kiosk/7")
        #expect(try await document.bytes(of: Self.url, limit: 2).bytes == Array("{}".utf8))
        #expect(network.requests.map { $0.headerFields[.userAgent] } == ["kiosk/7", "kiosk/7"])
    }
}

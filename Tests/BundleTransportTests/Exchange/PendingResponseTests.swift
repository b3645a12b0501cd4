import BundleModel
import BundleServing
import HTTPTypes
import NIOPosix
import Testing

@testable import BundleTransport

@Suite("A response that arrives")
struct PendingResponseTests {
    private static func response() throws -> PendingResponse {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "shop.example", path: "/")
        let key = try ConnectionKey(AbsoluteURL(of: request), nil)
        let pool = ConnectionPool(TransportLimits())
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        return PendingResponse(on: ClientConnection(key, on: loop, in: pool, tls: nil, policyNumber: 0))
    }

    @Test("stops the reading of its connection while its content isn't consumed")
    func backPressure() async throws {
        let response = try Self.response()
        var (part, end) = (ResponseBatch(), ResponseBatch())
        part.content = [UInt8](repeating: 1, count: PendingResponse.maximumByteCount / 4)
        end.end = [:]
        for number in 1...4 { #expect(response.deliver(part) == (number == 4)) }
        // The parts that have arrived are consumed as one.
        var content = try await response.next()
        #expect(content?.count == PendingResponse.maximumByteCount)
        #expect(!response.deliver(part))
        #expect(!response.deliver(end))
        content = try await response.next()
        #expect(content == part.content)
        content = try await response.next()
        #expect(content == nil)
    }

    @Test("gives what a closing origin leaves in parts, without a second copy of all of it")
    func backlog() async throws {
        let response = try Self.response()
        var (part, end) = (ResponseBatch(), ResponseBatch())
        part.content = [UInt8](repeating: 1, count: PendingResponse.maximumByteCount - 1)
        end.end = [:]
        for _ in 1...100 { _ = response.deliver(part) }
        _ = response.deliver(end)
        #expect(response.takeWhole() == nil)
        var byteCount = 0
        while let content = try await response.next() {
            #expect(content.count <= 2 * PendingResponse.maximumByteCount)
            byteCount += content.count
        }
        #expect(byteCount == 100 * part.content.count)
    }

    @Test("is taken as a whole once, when its content is complete and has no trailers")
    func whole() throws {
        for (trailers, isWhole) in [(nil, false), ([:], true), ([.server: "a"], false)] as [(HTTPFields?, Bool)] {
            let response = try Self.response()
            var batch = ResponseBatch()
            (batch.content, batch.end) = ([1, 2], trailers)
            _ = response.deliver(batch)
            #expect(response.takeWhole() == (isWhole ? [1, 2] : nil))
            if isWhole { #expect(response.takeWhole() == []) }
        }
        let broken = try Self.response()
        broken.fail(MalformedResponse.chunk)
        #expect(broken.takeWhole() == nil)
    }

    @Test("can be read up to where it breaks off, and has its trailers at the end only")
    func endings() async throws {
        let trailers: HTTPFields = [.server: "a"]
        for isBroken in [false, true] {
            let response = try Self.response()
            var batch = ResponseBatch()
            batch.content = [1]
            if !isBroken { batch.end = trailers }
            _ = response.deliver(batch)
            if isBroken { response.fail(MalformedResponse.chunk) }
            #expect(response.trailers.isEmpty)
            let content = try await response.next()
            #expect(content == [1])
            if isBroken {
                await #expect(throws: MalformedResponse.chunk) { try await response.next() }
            } else {
                let end = try await response.next()
                #expect(end == nil)
            }
            #expect(response.trailers == (isBroken ? [:] : trailers))
        }
    }
}

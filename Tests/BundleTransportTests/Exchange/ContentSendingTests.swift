import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BundleTransport

@Suite("The content of a request")
struct ContentSendingTests {
    @Test("needn't be complete when the response comes; the connection isn't used again")
    func earlyResponse() async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("no")
            await peer.waitForEnd()
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<2 {
                    let (endless, end) = AsyncStream.makeStream(of: [UInt8].self)
                    end.yield(Array("abc".utf8))
                    var call = origin.call(.post)
                    call.content = BodyStream(endless)
                    let text = try await transport.read(call).text
                    #expect(text == "no")
                    try await origin.waitForEnds()
                }
            }
            #expect(origin.connections.state.count == 2)
        }
    }

    @Test("is sent to an origin that begins its response before")
    func bothAtOnce() async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while let size = Int(try await peer.line(), radix: 16), size > 0 {
                let part = try await peer.raw.bytes(size)
                _ = try await peer.line()
                try await peer.raw.send(Array("\(String(size, radix: 16))\r\n".utf8) + part + [13, 10])
            }
            _ = try await peer.line()
            try await peer.send("0\r\n\r\n")
        } _: { origin in
            try await withTransport { transport in
                let (content, writer) = AsyncStream.makeStream(of: [UInt8].self)
                var call = origin.call(.post)
                call.content = BodyStream(content)
                let response = try await transport.send(call)
                var parts = response.body.makeAsyncIterator()
                for number in 0..<10 {
                    writer.yield(Array("part \(number)".utf8))
                    #expect(try await parts.next() == Array("part \(number)".utf8))
                }
                writer.finish()
                #expect(try await parts.next() == nil)
            }
        }
    }

    @Test("waits for 100, or a time, when that is expected", arguments: [true, false])
    func expectation(isConfirmed: Bool) async throws {
        var limits = TransportLimits()
        limits.continuation = isConfirmed ? .seconds(60) : .milliseconds(10)
        try await withTalkingOrigin { peer in
            let head = try await peer.head()
            #expect(head["expect"] == "100-continue")
            if isConfirmed { try await peer.send("HTTP/1.1 100 Continue\r\n\r\n") }
            #expect(try await peer.raw.bytes(5) == Array("hello".utf8))
            try await peer.respond("thanks")
        } _: { origin in
            try await withTransport(limits) { transport in
                let fields: HTTPFields = [.contentLength: "5", .expect: "100-continue"]
                let call = origin.call(.post, fields, content: [Array("hello".utf8)])
                let text = try await transport.read(call).text
                #expect(text == "thanks")
            }
        }
    }

    @Test("isn't read when the origin refuses it before")
    func refusedExpectation() async throws {
        var limits = TransportLimits()
        limits.continuation = .seconds(60)
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
            await peer.waitForEnd()
        } _: { origin in
            try await withTransport(limits) { transport in
                let isRead = Mutex(false)
                var call = origin.call(.post, [.expect: "100-continue"])
                call.content = BodyStream(
                    AsyncStream<[UInt8]> {
                        isRead.withLock { $0 = true }
                        return nil
                    }
                )
                let status = try await transport.read(call).head.status.code
                #expect(status == 417)
                #expect(!isRead.withLock { $0 })
                try await origin.waitForEnds()
            }
        }
    }

    @Test("makes no second request of the first, whatever a request holds")
    func smuggling() throws {
        let name = try #require(HTTPField.Name("X"))
        let hostile = "a\r\n\r\nGET /secret HTTP/1.1\r\nHost: b\0"
        var fields: HTTPFields = [.contentLength: "5", .transferEncoding: "chunked"]
        fields.append(HTTPField(name: name, lenientValue: Array(hostile.utf8)))
        fields.append(HTTPField(name: .transferEncoding, value: "gzip, chunked"))
        var call = OriginCall(request("/a#b", fields))
        for hasContent in [false, true] {
            if hasContent { call.content = BodyStream(Array("hello".utf8)) }
            let text = try text(call)
            #expect(text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).count == 2)
            #expect(text.hasPrefix("POST /a HTTP/1.1\r\nHost: shop.example\r\n"))
            #expect(!text.lowercased().contains("transfer-encoding"))
            #expect(text.contains("Content-Length: \(hasContent ? 5 : 0)\r\n"))
            #expect(!text.contains("\0"))
        }
    }

    @Test(
        "and its head are refused when they can't be sent",
        arguments: [
            ("/a b", []), ("/\u{E9}", []), ("a", []), ("*", []), ("/", ["5", "5"]), ("/", ["5, 5"]),
            ("/", ["+5"]), ("/", [""]), ("/", ["9999999999999999999"]),
        ] as [(String, [String])]
    )
    func refused(_ path: String, _ lengths: [String]) {
        var call = OriginCall(request(path, HTTPFields(lengths.map { HTTPField(name: .contentLength, value: $0) })))
        call.content = BodyStream([])
        let error = #expect(throws: BundleError.self) { try text(call) }
        #expect(error?.code == .invalidArgument)
    }

    private func request(_ path: String, _ fields: HTTPFields) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: "shop.example", path: path, headerFields: fields)
    }

    private func text(_ call: OriginCall) throws -> String {
        let head = try EncodedRequest(call, to: AbsoluteURL(of: call.request)).head
        return String(decoding: head.readableBytesView, as: UTF8.self)
    }
}

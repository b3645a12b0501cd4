import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleTransport

@Suite("What is passed on")
struct PassedOnTests {
    @Test("interim responses, but 100, before the response")
    func interims() async throws {
        let seen = Monitor<[Int]>([])
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
            try await peer.send("HTTP/1.1 102 X\r\n\r\n")
            try await peer.respond("hello")
        } _: { origin in
            try await withTransport { transport in
                var call = origin.call()
                call.onInterim = { head in seen.update { $0.append(head.status.code) } }
                let text = try await transport.read(call).text
                #expect(text == "hello")
                #expect(seen.state == [103, 102])
            }
        }
    }

    @Test("the bytes of field values that aren't UTF-8, in both directions")
    func rawValues() async throws {
        let value = Array("\"".utf8) + [0xE9, 0x74, 0xE9] + Array("\"".utf8)
        let sent = Monitor<[UInt8]>([])
        try await withTalkingOrigin { peer in
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head += try await peer.raw.bytes(1) }
            let received = head
            sent.update { $0 = received }
            try await peer.raw.send(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: ".utf8) + value + [13, 10, 13, 10]
            )
        } _: { origin in
            try await withTransport { transport in
                let field = HTTPField(name: .ifNoneMatch, value: value)
                let response = try await transport.send(origin.request(.get, "/", HTTPFields([field])))
                let tag = response.head.headerFields[fields: .eTag].first
                #expect(tag?.withUnsafeBytesOfValue { Array($0) } == value)
                #expect(sent.state.firstRange(of: Array("If-None-Match: ".utf8) + value) != nil)
            }
        }
    }

    @Test("trailers, in both directions")
    func trailers() async throws {
        let seen = Monitor<[String]>([])
        let name = try #require(HTTPField.Name("X-Sum"))
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            var lines: [String] = []
            while lines.last != "" { lines.append(try await peer.line()) }
            let received = lines
            seen.update { $0 = received }
            try await peer.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 2\r\n\r\n"
            )
        } _: { origin in
            try await withTransport { transport in
                var call = origin.call(.post)
                let trailers: HTTPFields = [name: "1", .contentLength: "9", .transferEncoding: "gzip"]
                call.content = BodyStream([Array("abc".utf8), [], Array("d".utf8)].stream, trailers: { trailers })
                let response = try await transport.read(call)
                #expect(response.text == "a")
                #expect(response.trailers[name] == "2")
                #expect(seen.state == ["3", "abc", "1", "d", "0", "X-Sum: 1", ""])
            }
        }
    }

    @Test("content of a stated length, and any other in chunks", arguments: [true, false])
    func content(hasLength: Bool) async throws {
        let content = (0..<40).map { [UInt8](repeating: UInt8($0), count: 20_000) }
        try await withTalkingOrigin { peer in
            while true {
                let request = try await peer.request()
                #expect(request.body == Array(content.joined()))
                #expect((request["content-length"] != nil) == hasLength)
                #expect(request["transfer-encoding"] == (hasLength ? nil : "chunked"))
                try await peer.respond("hello")
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<3 {
                    let fields: HTTPFields = hasLength ? [.contentLength: "800000"] : [:]
                    let text = try await transport.read(origin.call(.put, fields, content: content)).text
                    #expect(text == "hello")
                }
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test(
        "a response that comes at once leaves the connection open",
        arguments: [[:], [.contentLength: "0"]] as [HTTPFields]
    )
    func promptResponses(fields: HTTPFields) async throws {
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.request()
                try await peer.respond("hello")
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<300 {
                    let text = try await transport.read(origin.call(.put, fields, content: [])).text
                    #expect(text == "hello")
                }
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test(
        "content without its transfer coding",
        arguments: [("gzip", true), ("x-gzip", true), ("GZip", true), ("deflate", false)]
    )
    func transferCoding(_ name: String, _ isGzip: Bool) async throws {
        let text = String(repeating: "hello ", count: 200_000)
        let coded = try Compressed.content(Array(text.utf8), isGzip: isGzip)
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(name), chunked\r\n\r\n")
                for part in coded.chunks(of: 100) {
                    try await peer.send("\(String(part.count, radix: 16))\r\n")
                    try await peer.raw.send(Array(part) + [13, 10])
                }
                try await peer.send("0\r\n\r\n")
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<2 {
                    let response = try await transport.read(origin.call())
                    #expect(response.text == text)
                }
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test("no content whose transfer coding is damaged or truncated", arguments: ["cut", "damaged", "excess"])
    func damagedCoding(_ kind: String) async throws {
        var coded = try Compressed.content(Array(String(repeating: "hello ", count: 2_000).utf8), isGzip: true)
        switch kind {
        case "cut": coded.removeLast()
        case "damaged": coded[coded.count - 5] ^= 1
        default: coded += [1, 2, 3]
        }
        let sent = coded
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
            try await peer.send("\(String(sent.count, radix: 16))\r\n")
            try await peer.raw.send(sent)
            try await peer.send("\r\n0\r\n\r\n")
        } _: { origin in
            try await withTransport { transport in
                let error = await #expect(throws: BundleError.self) { try await transport.read(origin.call()) }
                #expect(error?.message.contains("transfer coding") == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test("content that expands a thousand times, in steps of a bounded size")
    func expansion() async throws {
        let count = 64 << 20
        let coded = try Compressed.content([UInt8](repeating: 0, count: count), isGzip: true)
        #expect(coded.count < count / 900)
        let decoder = try TransferDecoder(.gzip)
        decoder.feed(coded)
        var total = 0
        while let step = try decoder.next() {
            #expect(step.count <= TransferDecoder.stepByteCount)
            total += step.count
        }
        try decoder.checkEnd()
        #expect(total == count)
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

import BundleModel
import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import BundleTransport
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

/// What ``/BundleNetwork/OriginTransport`` promises, on each transport.
@Suite("A transport", .timeLimit(.minutes(2)))
struct TransportConformanceTests {
    @Test("gives a response's status, its fields and its whole body", arguments: TransportKind.allCases)
    func plainResponse(_ kind: TransportKind) async throws {
        let body = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/data", to: ScriptedResponse(fields: [.contentType: "application/x-data"], body: body))
            let response = try await transport.send(origin.request("/data?a=1"))
            #expect(response.head.status == .ok)
            #expect(response.head.headerFields[.contentType] == "application/x-data")
            #expect(response.head.headerFields[.contentLength] == "300000")
            #expect(try await response.body.all() == body)
            #expect(origin.requestedPaths == ["/data?a=1"])
        }
    }

    @Test(
        "sends the request's fields as they are, and no cookies",
        arguments: TransportKind.allCases
    )
    func requestFields(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/", to: ScriptedResponse(fields: [.setCookie: "a=1; Path=/"], body: Array("hello".utf8)))
            for _ in 0..<2 {
                var request = origin.request("/")
                request.headerFields[.ifNoneMatch] = "\"abc\""
                _ = try await transport.send(request).body.all()
            }
            for request in origin.requests {
                let fields = request.headerFields
                #expect(fields[.ifNoneMatch] == "\"abc\"")
                #expect(fields[.cookie] == nil)
                let added = Set(fields.map(\.name.canonicalName)).subtracting(["if-none-match", "host"])
                if kind.keeps(.addsNoFields) {
                    #expect(added.isEmpty)
                } else {
                    #expect(fields[.acceptEncoding]?.contains("gzip") == true)
                    #expect(added.isSubset(of: Self.addedNames))
                }
            }
            #expect(origin.requests.count == 2)
        }
    }

    @Test("keeps no response: each request reaches the origin", arguments: TransportKind.allCases)
    func noCache(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route(
                "/",
                to: ScriptedResponse(fields: [.cacheControl: "max-age=3600"], body: Array("hello".utf8))
            )
            for _ in 0..<3 {
                let text = try await transport.send(origin.request("/")).body.all()
                #expect(text == Array("hello".utf8))
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test(
        "hands redirects back, and follows none",
        arguments: TransportKind.allCases,
        [HTTPResponse.Status.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect]
    )
    func redirect(_ kind: TransportKind, _ status: HTTPResponse.Status) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/old", to: ScriptedResponse(status: status, fields: [.location: "/new"], body: [1, 2, 3]))
            let response = try await transport.send(origin.request("/old"))
            #expect(response.head.status == status)
            #expect(response.head.headerFields[.location] == "/new")
            #expect(try await response.body.all() == [1, 2, 3])
            #expect(origin.requestedPaths == ["/old"])
        }
    }

    @Test("hands a 401 back, and has no credentials", arguments: TransportKind.allCases)
    func challenge(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            let name = try #require(HTTPField.Name("WWW-Authenticate"))
            origin.route("/", to: ScriptedResponse(status: .unauthorized, fields: [name: "Basic realm=\"a\""]))
            let response = try await transport.send(origin.request("/"))
            #expect(response.head.status == .unauthorized)
            #expect(try await response.body.all().isEmpty)
            #expect(origin.requests.count == 1)
        }
    }

    @Test("leaves content codings, or says nothing of them", arguments: TransportKind.allCases)
    func contentCoding(_ kind: TransportKind) async throws {
        let text = Array(String(repeating: "hello ", count: 1_000).utf8)
        let coded = try Compressed.content(text, isGzip: true)
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route(
                "/z",
                to: ScriptedResponse(fields: [.contentEncoding: "gzip", .eTag: "\"a\""], body: coded)
            )
            var request = origin.request("/z")
            request.headerFields[.acceptEncoding] = "gzip"
            let response = try await transport.send(request)
            let body = try await response.body.all()
            let fields = response.head.headerFields
            #expect(origin.requests.first?.headerFields[.acceptEncoding] == "gzip")
            if kind.keeps(.keepsContentCodings) {
                #expect(fields[.contentEncoding] == "gzip" && fields[.eTag] == "\"a\"")
                #expect(body == coded)
            } else {
                #expect(fields[.contentEncoding] == nil && fields[.contentLength] == nil)
                #expect(fields[.eTag] == "W/\"a\"")
                #expect(body == text)
            }
        }
    }

    @Test("asks for no coding where it couldn't be undone, or isn't wanted")
    func identity() async throws {
        try await withOriginAndTransport(.urlSession) { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            _ = try await URLSessionTransport(asksForCodings: false).send(request).body.all()
            request.headerFields[.range] = "bytes=0-1"
            request.headerFields[.acceptEncoding] = "gzip"
            _ = try await transport.send(request).body.all()
            #expect(origin.requests.map { $0.headerFields[.acceptEncoding] } == ["identity", "identity"])
        }
    }

    @Test("confirms what was stored under the tag that it has made weak")
    func validation() async throws {
        try await withOriginAndTransport(.urlSession) { origin, transport in
            origin.route("/", to: ScriptedResponse(status: .notModified, fields: [.eTag: "\"a\""]))
            var request = origin.request("/")
            for (sent, received) in [("W/\"a\"", "W/\"a\""), ("\"a\"", "\"a\"")] {
                request.headerFields[.ifNoneMatch] = sent
                let head = try await transport.send(request).head
                #expect(head.headerFields[.eTag] == received)
            }
        }
    }

    @Test("has the head before the body's end, and passes the body on in parts", arguments: TransportKind.allCases)
    func streaming(_ kind: TransportKind) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 32000003\r\n\r\nabc")
            try await latch.wait()
            for _ in 0..<320 { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let response = try await transport.send(origin.request())
                var (chunks, count) = (0, 0)
                for try await chunk in response.body {
                    latch.open()
                    chunks += 1
                    count += chunk.count
                }
                #expect(chunks > 1)
                #expect(count == 32_000_003)
            }
        }
    }

    @Test("receives no faster than is read, or keeps what arrives", arguments: TransportKind.allCases)
    func backPressure(_ kind: TransportKind) async throws {
        let isSent = Monitor(false)
        let count = 640
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(count * 100_000)\r\n\r\n")
            for _ in 0..<count { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
            isSent.update { $0 = true }
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let response = try await transport.send(origin.request())
                if kind.keeps(.waitsForReader) {
                    #expect(!isSent.state)
                } else {
                    // It all arrives although nobody reads it.
                    try await isSent.wait { !$0 }
                }
                var received = 0
                for try await chunk in response.body { received += chunk.count }
                #expect(received == count * 100_000)
            }
        }
    }

    @Test("breaks a response off that arrives faster than it is read, above a limit, where it can't wait")
    func excess() async throws {
        #expect(!TransportKind.urlSession.keeps(.waitsForReader))
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 640000000\r\n\r\n")
            while true { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
        } _: { origin in
            let response = try await URLSessionTransport(maximumUnreadByteCount: 2_000_000).send(origin.request())
            try await origin.waitForEnds()
            let error = await #expect(throws: BundleError.self) { try await response.body.all() }
            #expect(error?.message.contains("more than 2000000 bytes arrived before they were read") == true)
        }
    }

    @Test("responds to HEAD with the length and no body", arguments: TransportKind.allCases)
    func headRequest(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.method = .head
            let response = try await transport.send(request)
            #expect(response.head.headerFields[.contentLength] == "5")
            #expect(try await response.body.all().isEmpty)
        }
    }

    @Test("sends any method", arguments: TransportKind.allCases, ["GET", "DELETE", "OPTIONS", "PATCH", "PROPFIND"])
    func methods(_ kind: TransportKind, _ name: String) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.method = try #require(HTTPRequest.Method(name))
            #expect(try await transport.send(request).body.all() == Array("hello".utf8))
            #expect(origin.requests.map(\.method.rawValue) == [name])
        }
    }

    @Test("passes each value of Set-Cookie on, and each line of a field", arguments: TransportKind.allCases)
    func fieldLines(_ kind: TransportKind) async throws {
        let cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "c=x y; Secure"]
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            let lines = cookies.map { "Set-Cookie: \($0)\r\n" }.joined()
            try await peer.respond("hello", "\(lines)X-A: 1\r\nX-A: 2\r\n")
        } _: { origin in
            try await kind.withTransport { transport in
                let fields = try await transport.send(origin.request()).head.headerFields
                let name = try #require(HTTPField.Name("X-A"))
                #expect(fields[values: .setCookie] == cookies)
                #expect(fields[values: name] == (kind.keeps(.keepsFieldLines) ? ["1", "2"] : ["1, 2"]))
            }
        }
    }

    @Test("passes on the bytes of field values, or fails", arguments: TransportKind.allCases)
    func fieldBytes(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.raw.send(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-N: f".utf8) + [0xE9, 13, 10, 13, 10]
            )
        } _: { origin in
            try await kind.withTransport { transport in
                guard kind.keeps(.passesFieldBytes) else {
                    await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
                    let field = HTTPField(name: .ifNoneMatch, value: [0x22, 0xE9, 0x22])
                    let error = await #expect(throws: BundleError.self) {
                        try await transport.send(origin.request(.get, "/", HTTPFields([field])))
                    }
                    #expect(error?.code == .invalidArgument)
                    return
                }
                let name = try #require(HTTPField.Name("X-N"))
                let fields = try await transport.send(origin.request()).head.headerFields
                #expect(fields[fields: name].first?.withUnsafeBytesOfValue { Array($0) } == [0x66, 0xE9])
            }
        }
    }

    @Test(
        "sends the path and the query as they are",
        arguments: TransportKind.allCases,
        ["/a%2Fb/%E4%BD%A0?x=%20&y=a+b&z", "/a//b/", "/?", "/a;b=c", "/a/../b", "/x|y"]
    )
    func paths(_ kind: TransportKind, _ path: String) async throws {
        try await withTalkingOrigin { peer in
            let line = try await peer.line()
            try await peer.respond(line)
        } _: { origin in
            try await kind.withTransport { transport in
                let text = try? await transport.send(origin.request(.get, path)).body.all()
                let line = text.map { String(decoding: $0, as: UTF8.self) }
                switch path {
                case "/a/../b" where !kind.keeps(.keepsDotSegments): #expect(line == "GET /b HTTP/1.1")
                // Foundation would encode it: another path, so that it is refused.
                case "/x|y" where kind == .urlSession: #expect(line == nil)
                default: #expect(line == "GET \(path) HTTP/1.1")
                }
            }
        }
    }

    @Test("passes interim responses on, but 100, before the response", arguments: TransportKind.allCases)
    func interims(_ kind: TransportKind) async throws {
        let seen = Monitor<[Int]>([])
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try await peer.respond("hello")
        } _: { origin in
            try await kind.withTransport { transport in
                var call = origin.call()
                call.onInterim = { head in seen.update { $0.append(head.status.code) } }
                let response = try await transport.send(call)
                #expect(response.head.status == .ok)
                #expect(try await response.body.all() == Array("hello".utf8))
                #expect(seen.state == [103])
            }
        }
    }

    @Test(
        "has an error for a body that is cut short",
        arguments: TransportKind.allCases,
        [
            "Content-Length: 4000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ]
    )
    func cutShort(_ kind: TransportKind, _ rest: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\n" + rest)
        } _: { origin in
            try await kind.withTransport { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.send(origin.request()).body.all()
                }
                #expect(error?.code == .networkUnavailable)
                #expect(
                    error?.message.hasSuffix("closed the connection too early; check the server, or try again") == true
                )
            }
        }
    }

    @Test("fails at once when the connection is refused, and says where and why", arguments: TransportKind.allCases)
    func refused(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            await origin.stop()
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request("/")) }
            #expect(error?.code == .networkUnavailable)
            #expect(
                error?.message == "could not reach \(origin.baseURL.dropFirst("http://".count)): connection refused; "
                    + "check that the server is running and that the port is right"
            )
        }
    }

    @Test("reports a host without an address as that", arguments: TransportKind.allCases)
    func unknownHost(_ kind: TransportKind) async throws {
        try await kind.withTransport { transport in
            let request = HTTPRequest(method: .get, scheme: "http", authority: "nowhere.invalid", path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("the name has no address") == true, "\(error?.message ?? "")")
        }
    }

    @Test("reports an origin that doesn't speak TLS as that", arguments: TransportKind.allCases)
    func noTLS(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            var request = origin.request("/")
            request.scheme = "https"
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("the TLS handshake failed") == true, "\(error?.message ?? "")")
        }
    }

    @Test("reaches an origin again that comes back", arguments: TransportKind.allCases)
    func restart(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            _ = try await transport.send(origin.request("/")).body.all()
            await origin.stop()
            await #expect(throws: BundleError.self) { try await transport.send(origin.request("/")) }
            try await origin.start()
            #expect(try await transport.send(origin.request("/")).body.all() == Array("hello".utf8))
        }
    }

    @Test(
        "gives a silent origin up, before the head and in the body",
        arguments: TransportKind.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"]
    )
    func silence(_ kind: TransportKind, _ sent: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(sent)
            await peer.waitForEnd()
        } _: { origin in
            let (limit, none) = (Duration.milliseconds(50), Duration.seconds(30))
            let isBefore = sent.isEmpty
            try await kind.withTransport(firstByte: isBefore ? limit : none, silence: isBefore ? none : limit) {
                transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.send(origin.request()).body.all()
                }
                #expect(error?.code == .networkUnavailable)
                #expect(error?.message.contains("no data for 0.05 seconds") == true, "\(error?.message ?? "")")
                try await origin.waitForEnds()
            }
        }
    }

    @Test("lets an event stream be silent", arguments: TransportKind.allCases)
    func events(_ kind: TransportKind) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            try await latch.wait()
            try await peer.send("data: 2\n\n")
        } _: { origin in
            try await kind.withTransport(silence: .nanoseconds(1)) { transport in
                let response = try await transport.send(origin.call())
                var events = response.body.makeAsyncIterator()
                #expect(try await events.next() == Array("data: 1\n\n".utf8))
                latch.open()
                #expect(try await events.next() == Array("data: 2\n\n".utf8))
                #expect(try await events.next() == nil)
            }
        }
    }

    @Test(
        "ends a cancelled task with CancellationError, and its connection with it",
        arguments: TransportKind.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc"]
    )
    func cancellation(_ kind: TransportKind, _ sent: String) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(sent)
            latch.open()
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let call = origin.call()
                let task = Task { try await transport.send(call).body.all() }
                try await latch.wait()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await origin.waitForEnds()
            }
        }
    }

    @Test("ends the exchange when nobody reads the response", arguments: TransportKind.allCases)
    func dropped(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                _ = try await transport.send(origin.call())
                try await origin.waitForEnds()
            }
        }
    }

    @Test(
        "sends content, long and short, with its length or without",
        arguments: TransportKind.allCases,
        [true, false]
    )
    func content(_ kind: TransportKind, hasLength: Bool) async throws {
        try await withTalkingOrigin { peer in
            while true {
                let request = try await peer.request()
                try await peer.respond("\(request.body.count) \(request.body.reduce(0) { $0 &+ Int($1) })")
            }
        } _: { origin in
            try await kind.withTransport { transport in
                for count in [0, 1, 40, 200] {
                    let parts = (0..<count).map { [UInt8](repeating: UInt8($0), count: 20_000) }
                    let fields: HTTPFields = hasLength ? [.contentLength: "\(count * 20_000)"] : [:]
                    let text = try await transport.send(origin.call(.post, fields, content: parts)).body.all()
                    let sum = (0..<count).reduce(0) { $0 + $1 * 20_000 }
                    #expect(String(decoding: text, as: UTF8.self) == "\(count * 20_000) \(sum)")
                }
            }
        }
    }

    @Test("refuses content of another length than is stated", arguments: TransportKind.allCases, ["4", "6"])
    func wrongLength(_ kind: TransportKind, _ length: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.request()
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let call = origin.call(.post, [.contentLength: length], content: [Array("hello".utf8)])
                let error = await #expect(throws: BundleError.self) { try await transport.send(call).body.all() }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("ends the request with the error of its content", arguments: TransportKind.allCases)
    func brokenContent(_ kind: TransportKind) async throws {
        struct ClientGone: Error {}
        try await withTalkingOrigin { peer in
            _ = try await peer.request()
        } _: { origin in
            try await kind.withTransport { transport in
                var call = origin.call(.post)
                call.content = BodyStream(AsyncThrowingStream<[UInt8], any Error> { throw ClientGone() })
                await #expect(throws: ClientGone.self) { try await transport.send(call).body.all() }
            }
        }
    }

    @Test("reads content as fast as the origin takes it, or before", arguments: TransportKind.allCases)
    func contentBackPressure(_ kind: TransportKind) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await latch.wait()
            try await peer.raw.skip(32_000_000)
            try await peer.respond("hello")
        } _: { origin in
            try await kind.withTransport { transport in
                let read = Monitor(0)
                var call = origin.call(.post, [.contentLength: "32000000"])
                call.content = BodyStream(
                    AsyncStream<[UInt8]> {
                        let count = read.update { count in
                            count += 1
                            return count
                        }
                        return count <= 500 ? [UInt8](repeating: 1, count: 64_000) : nil
                    }
                )
                let response = Task { [call] in try await transport.send(call).body.all() }
                try await latch.waitForArrivals()
                if kind.keeps(.sendsContentAsItIsRead) {
                    #expect(read.state < 400)
                } else {
                    #expect(read.state > 500)
                }
                latch.open()
                #expect(try await response.value == Array("hello".utf8))
            }
        }
    }

    @Test("passes trailers on")
    func trailers() async throws {
        try await Self.withTrailers { response in
            let name = try #require(HTTPField.Name("X-Sum"))
            #expect(try await response.body.all() == Array("a".utf8))
            #expect(response.body.trailers[name] == "2")
        }
    }

    /// What Foundation on Linux does with trailers can't be prevented: it ends the process.
    @Test("has no trailers on URLSession: on Linux they end the process")
    func trailersOfURLSession() async throws {
        #expect(!TransportKind.urlSession.keeps(.passesTrailers))
        #if canImport(FoundationNetworking)
            await #expect(processExitsWith: .failure) {
                try await Self.withTrailers(.urlSession) { _ = try await $0.body.all() }
            }
        #else
            try await Self.withTrailers(.urlSession) { #expect(try await $0.body.all() == Array("a".utf8)) }
        #endif
    }

    private static func withTrailers(
        _ kind: TransportKind = .nio,
        _ body: (OriginResponse) async throws -> Void
    ) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 2\r\n\r\n")
        } _: { origin in
            try await kind.withTransport { try await body(try await $0.send(origin.call())) }
        }
    }

    @Test("switches protocols, or refuses to", arguments: TransportKind.allCases)
    func upgrade(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc")
        } _: { origin in
            try await kind.withTransport { transport in
                let request = origin.request(.get, "/", [.connection: "upgrade", .upgrade: "x"])
                if kind.keeps(.switchesProtocols) {
                    let tunnel = try #require(try await transport.send(request).tunnel)
                    let bytes = try await tunnel.incoming.all()
                    #expect(bytes == Array("abc".utf8))
                } else {
                    let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
                    #expect(error?.code == .invalidArgument)
                    #expect(origin.connections.state.count == 0)
                }
            }
        }
    }

    @Test("sends content with GET, or refuses to", arguments: TransportKind.allCases)
    func contentOfGet(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            let request = try await peer.request()
            try await peer.respond("\(request.body.count)")
        } _: { origin in
            try await kind.withTransport { transport in
                let call = origin.call(.get, [.contentLength: "3"], content: [[1, 2, 3]])
                if kind.keeps(.sendsContentWithGet) {
                    let text = try await transport.send(call).body.all()
                    #expect(text == Array("3".utf8))
                } else {
                    let error = await #expect(throws: BundleError.self) { try await transport.send(call) }
                    #expect(error?.code == .invalidArgument)
                }
            }
        }
    }

    @Test("connects where connectTo says, with the host of the URL", arguments: TransportKind.allCases)
    func connectTo(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            let head = try await peer.head()
            try await peer.respond(head["host"] ?? "")
        } _: { origin in
            var call = origin.call()
            call.request.authority = "shop.example"
            call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
            try await kind.withTransport { transport in
                let text = try await transport.send(call).body.all()
                #expect(text == Array("shop.example".utf8))
                guard !kind.keeps(.connectsToOtherAddressOverTLS) else { return }
                // Refused before anything is sent. NIOTransport's are in ConnectingTests.
                call.request.scheme = "https"
                let secure = call
                let error = await #expect(throws: BundleError.self) { try await transport.send(secure) }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains("check the certificate of that name") == true)
            }
        }
    }

    @Test(
        "refuses a URL that HTTP can't reach",
        arguments: TransportKind.allCases,
        [
            ("ftp", "example.com"), (nil, "example.com"), ("http", nil), ("http", ""), ("http", "host name"),
            ("http", "127.0.0.1:65536"), ("http", "127.0.0.1:99999999999999999999"), ("http", "[::1]:x"),
            ("http", "user@127.0.0.1"),
        ] as [(String?, String?)]
    )
    func wrongURL(_ kind: TransportKind, _ url: (scheme: String?, authority: String?)) async throws {
        try await kind.withTransport { transport in
            let request = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("keeps slow responses from waiting for each other", arguments: TransportKind.allCases)
    func slowOrigin(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            let latch = Latch()
            origin.route("/") { _ in
                try await latch.wait()
                return ScriptedResponse("hello")
            }
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<40 { group.addTask { try await transport.send(request).body.all() } }
                // All are with the origin at the same time; none waits for a connection.
                try await latch.waitForArrivals(40)
                latch.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 40))
        }
    }

    @Test("serves many requests at once", arguments: TransportKind.allCases)
    func concurrency(_ kind: TransportKind) async throws {
        try await withOriginAndTransport(kind) { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<100 { group.addTask { try await transport.send(request).body.all() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 100))
        }
    }

    @Test(
        "has an error for what isn't a response",
        arguments: TransportKind.allCases,
        ["SSH-2.0-OpenSSH_9.2\r\n", "", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"]
    )
    func malformed(_ kind: TransportKind, _ reply: String) async throws {
        try await Self.withReply(reply, kind) { origin, transport in
            guard kind.keeps(.refusesUnknownStatus) || !reply.contains("999") else {
                let status = try await transport.send(origin.request()).head.status.code
                #expect(status == 999)
                return
            }
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
            #expect(error?.code == .networkUnavailable)
        }
    }

    @Test("has an error for a head that is cut short")
    func cutHead() async throws {
        try await Self.withReply("HTTP/1.1 200 OK\r\nContent-Le", .nio) { origin, transport in
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
            #expect(error?.code == .networkUnavailable)
        }
    }

    /// What Foundation on Linux does with it can't be prevented: it ends the process.
    @Test("can't survive a head that is cut short on Linux' URLSession")
    func cutHeadOfURLSession() async throws {
        #expect(!TransportKind.urlSession.keeps(.survivesCutHeads))
        #if canImport(FoundationNetworking)
            await #expect(processExitsWith: .failure) {
                try await Self.withReply("HTTP/1.1 200 OK\r\nContent-Le", .urlSession) { origin, transport in
                    _ = try await transport.send(origin.request())
                }
            }
        #endif
    }

    private static func withReply(
        _ reply: String,
        _ kind: TransportKind,
        _ body: (RawOrigin, any OriginTransport) async throws -> Void
    ) async throws {
        try await withRawOrigin({ _ in .init(reply.utf8) }) { origin in
            try await kind.withTransport { try await body(origin, $0) }
        }
    }

    @Test("is missing what its platform forces, for a reason", arguments: TransportPromise.allCases)
    func reasons(_ promise: TransportPromise) {
        // The row of the table; what it does instead is checked by the test of the promise.
        print("\(promise.rawValue): NIOTransport yes; URLSessionTransport \(promise.urlSessionReason ?? "yes")")
        #expect(TransportKind.nio.keeps(promise))
    }

    private static let addedNames: Set<String> = [
        "accept", "accept-encoding", "accept-language", "connection", "user-agent",
    ]
}

private func withOriginAndTransport(
    _ kind: TransportKind,
    _ body: (OriginServer, any OriginTransport) async throws -> Void
) async throws {
    try await kind.withTransport { transport in
        try await withOriginServer { origin in try await body(origin, transport) }
    }
}

extension RawOrigin {
    fileprivate func request() -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
    }
}

extension OriginServer {
    fileprivate func request(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: String(baseURL.dropFirst("http://".count)), path: path)
    }
}

extension BodyStream {
    fileprivate func all() async throws -> [UInt8] {
        try await reduce(into: []) { $0 += $1 }
    }
}

import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What Foundation on Linux does wrong with any other `URLProtocol`, and the way around each.
@Suite("Foundation's traps", .timeLimit(.minutes(5)))
struct FoundationTrapTests {
    @Test("several pieces of a body reach a completion handler as a whole", arguments: [0, 1, 300_000, 5_000_000])
    func pieces(_ count: Int) async throws {
        let body = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await withLoading(["big.json": String(repeating: "0123456789", count: 60_000)]) { app in
            app.origin.route("/shop/data", to: ScriptedResponse(body: body))
            let session = app.session()
            let (fetched, _) = try await session.data(from: app.url("data"))
            #expect(fetched == Data(body))
            let (bundled, _) = try await session.data(from: app.url("big.json"))
            #expect(bundled.count == 600_000)
        }
    }

    @Test("Foundation keeps only the last piece for a completion handler, which is the trap")
    func trapOfPieces() async throws {
        #if canImport(FoundationNetworking)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [TwoPieces.self]
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let (data, _) = try await URLSession(configuration: configuration).data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "second")
        #endif
    }

    @Test("a delegate gets a large body in pieces, and the next one when it has taken the one before")
    func backPressure() async throws {
        let (count, latch) = (64, Monitor((isOpen: false, waiting: 0)))
        let sent = Monitor(0)
        let chunk = [UInt8](repeating: 1, count: 256 << 10)
        let stream = BodyStream(
            AsyncStream<[UInt8]> {
                let number = sent.update { sent in
                    sent += 1
                    return sent
                }
                return number <= count ? chunk : nil
            }
        )
        let transport = StreamTransport(body: stream)
        try await withLoading(transport: transport) { app in
            let gate = DispatchSemaphore(value: 0)
            let delegate = RecordingDelegate(receiving: { _, _ in
                guard
                    latch.update({ latch in
                        latch.waiting += 1; return !latch.isOpen
                    })
                else { return }
                gate.wait()
            })
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.dataTask(with: app.url("endless")).resume()
            try await latch.wait { $0.waiting == 0 }
            // What the layers hold besides, and no more.
            #expect(sent.state < 16)
            latch.update { $0.isOpen = true }
            gate.signal()
            let record = try await delegate.waitForEnds()
            #expect(record.ends == [nil])
            #expect(record.body.count == count * chunk.count)
            #expect(record.pieces.count > 8)
        }
    }

    @Test("a redirect reaches the delegate and is followed, which Foundation's client would end the process for")
    func redirects() async throws {
        try await withLoading { app in
            app.origin.route("/shop/old", to: ScriptedResponse(status: .found, fields: [.location: "new?a=1"]))
            app.origin.route("/shop/new", to: ScriptedResponse("new"))
            let delegate = RecordingDelegate()
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.dataTask(with: app.url("old")).resume()
            let record = try await delegate.waitForEnds()
            #expect(record.redirects == ["302 /shop/new"])
            #expect(record.responses == [200])
            #expect(record.body == Data("new".utf8))
            let (text, response) = try await app.session().text(app.url("old"))
            #expect(text == "new")
            #expect(response.url == app.url("new?a=1"))
        }
    }

    @Test("loads that begin in startLoading need tasks of other sessions, which Foundation would trap for")
    func nestedTasks() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("a"))
            let session = app.session()
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<50 { group.addTask { try await session.text(app.url("a?\(number)")).text } }
                for try await text in group { #expect(text == "a") }
            }
        }
    }

    @Test("a request is known by its session and not by a property, which Foundation drops")
    func properties() throws {
        let url = try #require(URL(string: "http://shop.example/"))
        let request = try #require((URLRequest(url: url) as NSURLRequest).mutableCopy() as? NSMutableURLRequest)
        URLProtocol.setProperty("here", forKey: "key", in: request)
        #if canImport(FoundationNetworking)
            #expect(URLProtocol.property(forKey: "key", in: request as URLRequest) == nil)
        #endif
        var marked = URLRequest(url: url)
        BundleURLProtocol.mark(&marked)
        #expect(!BundleURLProtocol.canInit(with: marked))
    }

    @Test("a download task ends with an error that says what to do, and not the process")
    func downloads() async throws {
        try await withLoading { app in
            let result = await withCheckedContinuation { continuation in
                app.session().downloadTask(with: app.url("")) { file, _, error in
                    continuation.resume(returning: (file, error as? URLError))
                }.resume()
            }
            #if canImport(FoundationNetworking)
                #expect(result.0 == nil)
                #expect(result.1?.localizedDescription.contains("load it with a data task") == true)
            #endif
        }
    }

    @Test("an upload task's content is found, which isn't in its request", arguments: [0, 10, 3_000_000])
    func uploads(_ count: Int) async throws {
        try await withUploads { app, received in
            let (session, bytes) = (app.session(), Data(repeating: 7, count: count))
            let request = app.request("post") { $0.httpMethod = "POST" }
            let (content, _) = try await session.upload(for: request, from: bytes)
            #expect(String(decoding: content, as: UTF8.self) == "thanks")
            let file = URL(fileURLWithPath: app.folder + "/upload")
            try bytes.write(to: file)
            _ = try await session.upload(for: request, fromFile: file)
            #expect(received.state == [count, count])
        }
    }

    @Test("an upload from a stream is taken from the delegate")
    func streamedUpload() async throws {
        try await withUploads { app, received in
            let delegate = StreamDelegate(Data(repeating: 1, count: 500_000))
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.uploadTask(withStreamedRequest: app.request("post") { $0.httpMethod = "POST" }).resume()
            try await delegate.end.wait { !$0 }
            #expect(received.state == [500_000])
        }
    }

    @Test("a 401 without credentials ends the task with the 401, which Foundation would wait with for ever")
    func withoutCredentials() async throws {
        try await withLoading { app in
            let name = try #require(HTTPField.Name("WWW-Authenticate"))
            for challenge in ["Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"b\"", "Negotiate"] {
                app.origin.route(
                    "/shop/a",
                    to: ScriptedResponse(status: .unauthorized, fields: [name: challenge], body: [65])
                )
                let (text, response) = try await app.session().text(app.url("a"))
                #expect(response.statusCode == 401)
                #expect(response.url == app.url("a"))
                #expect(text == "A")
                let delegate = RecordingDelegate()
                let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
                session.dataTask(with: app.url("a")).resume()
                let record = try await delegate.waitForEnds()
                #expect(record.responses == [401])
                #expect(record.ends == [nil])
            }
        }
    }

    @Test("a suspended task starts again where it was, which Foundation stops and starts again")
    func suspended() async throws {
        try await withLoading { app in
            let latch = Latch()
            app.origin.route("/shop/a") { _ in
                try await latch.wait()
                return ScriptedResponse("hello")
            }
            let delegate = RecordingDelegate()
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            let task = session.dataTask(with: app.url("a"))
            task.resume()
            try await latch.waitForArrivals()
            task.suspend()
            latch.open()
            task.resume()
            task.suspend()
            task.resume()
            let record = try await delegate.waitForEnds()
            #expect(record.responses == [200])
            #expect(record.body == Data("hello".utf8))
            #expect(record.ends == [nil])
            #expect(app.origin.requests.count == 1)
        }
    }

    @Test("a task that is cancelled while it ends doesn't end the process", arguments: 0..<4)
    func cancelledAtTheEnd(_ round: Int) async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("a"))
            let delegate = RecordingDelegate()
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            for number in 0..<100 {
                let task = session.dataTask(with: app.url(number % 2 == 0 ? "" : "a?\(round)\(number)"))
                task.resume()
                for _ in 0..<number * (round + 1) { await Task.yield() }
                task.cancel()
                _ = try await delegate.waitForEnds(number + 1)
            }
        }
    }

    @Test("a protocol that is stopped before it is started isn't started")
    func stoppedBefore() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("a"))
            let configuration = app.configuration()
            let type = try #require(configuration.protocolClasses?.first as? BundleURLProtocol.Type)
            let request = app.request("a")
            let session = app.session()
            let loading = type.init(request: request, cachedResponse: nil, client: nil)
            loading.stopLoading()
            loading.startLoading()
            _ = try await session.text(app.url(""))
            #expect(app.origin.requests.isEmpty)
        }
    }

    @Test("the fields that a session adds to its requests aren't lost")
    func additionalFields() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("a"))
            let configuration = app.configuration()
            configuration.httpAdditionalHeaders = ["X-App": "7", "X-Other": "session"]
            let request = app.request("a") { $0.setValue("request", forHTTPHeaderField: "X-Other") }
            _ = try await URLSession(configuration: configuration).text(request)
            let fields = try #require(app.origin.requests.first).headerFields
            #expect(fields[try #require(HTTPField.Name("X-App"))] == "7")
            #expect(fields[try #require(HTTPField.Name("X-Other"))] == "request")
        }
    }

    #if canImport(FoundationNetworking)
        @Test("what Foundation keeps to itself is found")
        func internals() throws {
            let session = URLSession(configuration: .ephemeral)
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let upload = TaskInternals(session.uploadTask(with: URLRequest(url: url), from: Data([1, 2, 3])))
            #expect(upload.session === session)
            #expect(upload.queue != nil)
            guard case .data(let data)? = upload.content else {
                Issue.record("the content isn't found")
                return
            }
            #expect(data == Data([1, 2, 3]))
            let (pieces, whole) = (session.dataTask(with: url), session.dataTask(with: url) { _, _, _ in })
            let isInPieces = [pieces, whole].map { task in
                let internals = TaskInternals(task)
                return internals.queue?.sync { internals.deliversPieces }
            }
            #expect(isInPieces == [true, false])
            #expect(TaskInternals(session.dataTask(with: url)).content == nil)
        }
    #endif
}

/// Counts the bytes of what is sent to `post`.
private func withUploads(_ body: (LoadingFixture, Monitor<[Int]>) async throws -> Void) async throws {
    let received = Monitor<[Int]>([])
    try await withTalkingOrigin { peer in
        while true {
            let request = try await peer.request()
            received.update { $0.append(request.body.count) }
            try await peer.respond("thanks")
        }
    } _: { talking in
        try await withLoading([:]) { app in
            let origin = OriginServer(port: talking.port)
            let fixture = LoadingFixture(client: app.client, origin: origin, folder: app.folder)
            try fixture.install("1.0.0", ["index.html": "a"])
            try await body(fixture, received)
        }
    }
}

/// A network that has one body.
private struct StreamTransport: OriginTransport {
    let body: BodyStream

    func send(_ call: OriginCall) async throws -> OriginResponse {
        OriginResponse(head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"]), body: body)
    }
}

private final class StreamDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    let end = Monitor(false)
    private let content: Data

    init(_ content: Data) {
        self.content = content
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: content)) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.update { $0 = true }
    }
}

private final class TwoPieces: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for piece in ["first", "second"] { client?.urlProtocol(self, didLoad: Data(piece.utf8)) }
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

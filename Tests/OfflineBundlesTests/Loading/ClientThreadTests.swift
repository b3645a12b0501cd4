import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The documented behaviour of `URLProtocol` and its client on Apple's systems, with a client and a loader thread of the test.
@Suite("A URLProtocol's client", .timeLimit(.minutes(5)))
struct ClientThreadTests {
    @Test(
        "is called on the thread that called startLoading, in the modes of its run loop",
        arguments: [RunLoop.Mode.default, RunLoop.Mode("org.example.tracking")]
    )
    func modes(_ mode: RunLoop.Mode) async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse(body: [UInt8](repeating: 1, count: 1_000_000)))
            let thread = LoaderThread(mode)
            for path in ["", "a"] {
                let client = RecordingClient()
                try await thread.load(app.request(path), app, client)
                let record = client.record.state
                #expect(record.events.first == "response 200")
                #expect(record.events.last == "finish")
                #expect(record.threads == [thread.identifier])
                #expect(record.modes == [mode.rawValue])
                #expect(record.byteCount == (path.isEmpty ? 11 : 1_000_000))
            }
            thread.stop()
        }
    }

    @Test("gets a redirect, whose request is loaded by another protocol")
    func redirect() async throws {
        try await withLoading { app in
            app.origin.route("/shop/old", to: ScriptedResponse(status: .found, fields: [.location: "new"]))
            let (thread, client) = (LoaderThread(.default), RecordingClient())
            try await thread.load(app.request("old"), app, client)
            #expect(client.record.state.events == ["redirect /shop/new", "failure"])
            #expect(app.origin.requestedPaths == ["/shop/old"])
            thread.stop()
        }
    }

    @Test(
        "gets a redirect with the content for the next protocol: the bytes of a short stream, or the stream if it is unread",
        arguments: ["read", "unread", "rule"],
        [3, 2_000_000]
    )
    func redirectedContent(_ kind: String, _ byteCount: Int) async throws {
        let network = ScriptedTransport()
        try await withLoading(transport: network) { app in
            network.response(calling: app.url("old").absoluteString) { call in
                if kind == "read" { _ = try await call.content?.collected() }
                return OriginResponse(.temporaryRedirect, [.location: "new"], "")
            }
            if kind == "rule" {
                let target = app.url("new").absoluteString
                try app.setRules(#"{"match": {"path": "/old"}, "redirect": {"status": 307, "to": "\#(target)"}}"#)
            }
            let (thread, client) = (LoaderThread(.default), RecordingClient())
            try await thread.load(app.upload("old", byteCount), app, client)
            if kind == "read", byteCount > RepeatableStream.keptByteCount {
                #expect(client.record.state.events == ["failure"])
            } else {
                #expect(client.record.state.events == ["redirect /shop/new", "failure"])
                #expect(client.record.state.redirectedContents == [LoadingFixture.content(byteCount)])
            }
            #expect(network.requests.count == (kind == "rule" ? 0 : 1))
            thread.stop()
        }
    }

    @Test(
        "sends the content of a short stream again after a challenge, and gets the 401 for a long one",
        arguments: [3, 2_000_000]
    )
    func challengedContent(_ byteCount: Int) async throws {
        let (network, name) = (ScriptedTransport(), try #require(HTTPField.Name("WWW-Authenticate")))
        let received = Monitor<[[UInt8]]>([])
        try await withLoading(transport: network) { app in
            network.response(calling: app.url("a").absoluteString) { call in
                let content = try await call.content?.collected() ?? []
                received.update { $0.append(content) }
                guard call.request.headerFields[.authorization] == "Basic dTpw" else {
                    return OriginResponse(.unauthorized, [name: "Basic realm=\"r\""], "")
                }
                return OriginResponse(.ok, [:], "taken")
            }
            let (thread, client) = (LoaderThread(.default), RecordingClient("use"))
            try await thread.load(app.upload("a", byteCount), app, client)
            let isShort = byteCount <= RepeatableStream.keptByteCount
            let events = isShort ? ["challenge r 0", "response 200", "data", "finish"] : ["response 401", "finish"]
            #expect(client.record.state.events == events)
            #expect(received.state == Array(repeating: LoadingFixture.content(byteCount), count: isShort ? 2 : 1))
            thread.stop()
        }
    }

    @Test("responds to a challenge through its sender", arguments: ["use", "reject", "default", "continue", "cancel"])
    func challenge(_ decision: String) async throws {
        try await withLoading { app in
            let name = try #require(HTTPField.Name("WWW-Authenticate"))
            app.origin.route("/shop/a") { request in
                guard request.headerFields[.authorization] == "Basic dTpw" else {
                    return ScriptedResponse(status: .unauthorized, fields: [name: "Basic realm=\"r\""])
                }
                return ScriptedResponse("secret")
            }
            let (thread, client) = (LoaderThread(.default), RecordingClient(decision))
            try await thread.load(app.request("a"), app, client)
            let expected: [String] =
                switch decision {
                case "use": ["challenge r 0", "response 200", "data", "finish"]
                case "cancel": ["challenge r 0", "failure"]
                default: ["challenge r 0", "response 401", "finish"]
                }
            #expect(client.record.state.events == expected)
            thread.stop()
        }
    }

    @Test("is never called again once the load has been stopped", arguments: 0..<10)
    func stopped(_ step: Int) async throws {
        try await withLoading { app in
            let latch = Latch()
            app.origin.route("/shop/a") { _ in
                try await latch.wait()
                return ScriptedResponse(body: [UInt8](repeating: 1, count: 3_000_000))
            }
            let (thread, client) = (LoaderThread(.default), RecordingClient())
            let load = await thread.start(app.request("a"), app, client)
            if step > 0 {
                latch.open()
                // At any moment: once the head is there, or some of the body.
                if step > 1 { try await client.record.wait { $0.events.count < step - 1 } }
            }
            let events = await thread.perform {
                load.stopLoading()
                return client.record.state.events.count
            }
            latch.open()
            // Whatever was on its way has passed when another load is complete.
            try await thread.load(app.request(""), app, RecordingClient())
            #expect(client.record.state.events.count == events)
            thread.stop()
        }
    }
}

extension LoadingFixture {
    fileprivate static func content(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 3) }
    }

    /// A POST with a stream.
    fileprivate func upload(_ path: String, _ byteCount: Int) -> URLRequest {
        request(path) { request in
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data(Self.content(byteCount)))
        }
    }
}

extension BodyStream {
    fileprivate func collected() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in self { bytes += chunk }
        return bytes
    }
}

/// A thread with a run loop, as the loading system has one for protocols.
private final class LoaderThread: Sendable {
    private let loop: RunLoopReference
    private let mode: RunLoop.Mode
    private let isStopped = Atomic(false)
    let identifier: ObjectIdentifier

    /// `@unchecked Sendable`: only told what to perform.
    private struct RunLoopReference: @unchecked Sendable {
        let loop: RunLoop
        let thread: Thread
    }

    private final class Box: @unchecked Sendable {
        var reference: RunLoopReference?
        weak var owner: LoaderThread?
    }

    init(_ mode: RunLoop.Mode) {
        self.mode = mode
        let (box, ready) = (Box(), DispatchSemaphore(value: 0))
        let thread = Thread {
            box.reference = RunLoopReference(loop: .current, thread: .current)
            let keeper = Timer(timeInterval: 1e6, repeats: false) { _ in }
            RunLoop.current.add(keeper, forMode: mode)
            ready.signal()
            while !Thread.current.isCancelled { _ = RunLoop.current.run(mode: mode, before: .distantFuture) }
        }
        thread.start()
        ready.wait()
        guard let reference = box.reference else { fatalError("the thread hasn't started") }
        loop = reference
        identifier = ObjectIdentifier(reference.thread)
    }

    func stop() {
        loop.thread.cancel()
        LoadingPlace.runLoop(loop.loop, modes: [mode]).run {}
    }

    func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            LoadingPlace.runLoop(loop.loop, modes: [mode]).run { continuation.resume(returning: body()) }
        }
    }

    /// Starts a load on the thread.
    func start(_ request: URLRequest, _ app: LoadingFixture, _ client: RecordingClient) async -> Load {
        let configuration = app.configuration()
        return await perform {
            let type = configuration.protocolClasses?.first as? BundleURLProtocol.Type ?? BundleURLProtocol.self
            let load = Load(value: type.init(request: request, cachedResponse: nil, client: client))
            load.value.startLoading()
            return load
        }
    }

    /// Loads, and returns when the client has been told the end.
    func load(_ request: URLRequest, _ app: LoadingFixture, _ client: RecordingClient) async throws {
        let load = await start(request, app, client)
        try await client.record.wait { !$0.hasEnded }
        await perform { load.stopLoading() }
    }
}

/// `@unchecked Sendable`: used on the loader's thread.
private final class Load: @unchecked Sendable {
    let value: BundleURLProtocol

    init(value: BundleURLProtocol) {
        self.value = value
    }

    func stopLoading() { value.stopLoading() }
}

private final class RecordingClient: NSObject, URLProtocolClient, Sendable {
    struct Record: Sendable {
        var events: [String] = []
        var threads: Set<ObjectIdentifier> = []
        var modes: Set<String> = []
        var byteCount = 0
        var redirectedContents: [[UInt8]] = []
        var hasEnded = false
    }

    let record = Monitor(Record())
    private let decision: String

    init(_ decision: String = "") {
        self.decision = decision
    }

    private func note(_ event: String, byteCount: Int = 0, isEnd: Bool = false) {
        let (thread, mode) = (ObjectIdentifier(Thread.current), RunLoop.current.currentMode?.rawValue ?? "none")
        record.update { record in
            record.events.append(event)
            record.threads.insert(thread)
            record.modes.insert(mode)
            record.byteCount += byteCount
            record.hasEnded = record.hasEnded || isEnd
        }
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) { note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)") }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { note("data", byteCount: data.count) }
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { note("finish", isEnd: true) }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { note("failure", isEnd: true) }

    func urlProtocol(
        _ protocol: URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        let content = request.httpBody.map { [UInt8]($0) } ?? request.httpBodyStream.map(Self.content)
        if let content { record.update { $0.redirectedContents.append(content) } }
        note("redirect \(request.url?.path ?? "")")
    }

    /// As another protocol reads it.
    private static func content(of stream: InputStream) -> [UInt8] {
        stream.open()
        defer { stream.close() }
        var (content, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return content }
            content += buffer[..<count]
        }
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        note("challenge \(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)")
        switch decision {
        case "use":
            let credential = URLCredential(user: "u", password: "p", persistence: .none)
            challenge.sender?.use(credential, for: challenge)
        case "reject": challenge.sender?.rejectProtectionSpaceAndContinue(with: challenge)
        case "default": challenge.sender?.performDefaultHandling(for: challenge)
        case "continue": challenge.sender?.continueWithoutCredential(for: challenge)
        default: challenge.sender?.cancel(challenge)
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

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
    ) { note("redirect \(request.url?.path ?? "")") }

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

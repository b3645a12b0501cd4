import BundleEmbedding
import Dispatch
import Foundation
import HTTPCore
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One load of a ``BundleURLProtocol``: what the layers respond, told to its client.
///
/// `@unchecked Sendable`: its state is used at ``place`` alone, where `startLoading` and `stopLoading` are called too; tasks only
/// wait. So the client is never called once the load has been stopped, from no thread.
final class URLLoad: @unchecked Sendable {
    let client: BundleClient
    let options: LoadingOptions
    let place: LoadingPlace
    let session: TaskSession?
    let settings: SessionSettings

    /// Nil once the load has ended.
    var owner: BundleURLProtocol?
    var request: URLRequest
    /// The request's URL.
    var target: RequestTarget
    /// Whether the client has the URL: what a redirect leads to may be elsewhere.
    var isCovered = true
    var content: URLRequestContent
    var redirectCount = 0
    /// What was sent because it was asked for, and where.
    var credential: (credential: URLCredential, space: URLProtectionSpace)?
    var credentialCount = 0
    /// Whether the response that is delivered asks for credentials.
    var isChallenge = false
    /// Whether the client takes a body in pieces.
    lazy var deliversPieces = session?.deliversPieces ?? true
    /// What is delivered at the end, as one piece.
    var collected = Data()
    var work: Task<Void, Never>?
    /// Keeps the steps of the load on one thread, which wakes no others.
    lazy var executor = BlockingExecutor()
    private var isPaused = false
    private var waiting: [@Sendable () -> Void] = []
    private var lastActivity = ContinuousClock.now

    /// To be made on the thread that called `startLoading`.
    init(_ owner: BundleURLProtocol, _ responsible: ClientRegistry.Responsible) {
        self.owner = owner
        (client, options, target) = (responsible.client, responsible.options, responsible.target)
        request = owner.request
        session = TaskSession(owner.task)
        place = .current(session?.queue)
        settings = SessionSettings(session?.configuration, responsible.options)
        let content = URLRequestContent(owner.request)
        self.content = if case .none = content { session?.content ?? .none } else { content }
    }

    /// Whether the client may still be called.
    var isRunning: Bool { owner != nil }

    func start() {
        #if canImport(FoundationNetworking)
            guard !(owner?.task is URLSessionDownloadTask) else {
                return fail(LoadingFailure.error(.cannotCreateFile, request.url, Self.noDownloads))
            }
        #endif
        guard let session, session.lacksContent, case .none = content else { return ask() }
        renewContent { _ in self.ask() }
    }

    /// Asks the session's delegate for the content, which Apple's systems don't let a `URLProtocol` do.
    ///
    /// - Parameter next: Called at ``place`` with whether there is content now, unless the load has ended.
    private func renewContent(_ next: @escaping @Sendable (_ hasContent: Bool) -> Void) {
        guard let session else { return next(false) }
        session.needStream { content in
            self.place.run {
                guard self.isRunning else { return }
                if let content { self.content = content }
                next(content != nil)
            }
        }
    }

    func pause() {
        isPaused = true
    }

    func resume() {
        isPaused = false
        lastActivity = .now
        let waiting = self.waiting
        self.waiting = []
        for step in waiting { step() }
    }

    /// Ends the load without a word.
    func stop() {
        owner = nil
        work?.cancel()
        resume()
    }

    /// Ends the load with an error.
    func fail(_ error: URLError) {
        guard let owner else { return }
        end()
        owner.client?.urlProtocol(owner, didFailWithError: error)
    }

    /// Nothing more is told after what follows this.
    func end() {
        owner = nil
        collected = Data()
        work?.cancel()
    }

    /// Does the next step of work that has waited, at the load's place, once the task isn't suspended.
    func proceed(_ step: @escaping @Sendable (URLLoad) -> Void) async {
        await withCheckedContinuation { continuation in
            place.run {
                self.whenResumed {
                    step(self); continuation.resume()
                }
            }
        }
    }

    private func whenResumed(_ step: @escaping @Sendable () -> Void) {
        lastActivity = .now
        guard isRunning, isPaused else { return step() }
        waiting.append(step)
    }

    private static let noDownloads = BundleError(
        .invalidArgument,
        "on Linux Foundation gives a URLProtocol no way to deliver a download; load it with a data task"
    )
}

// MARK: - Time

extension URLLoad {
    /// Ends the load when the request's time passes in which nothing happens.
    func watchTime(after delay: Double? = nil) {
        let limit = timeLimit
        guard limit > 0, limit < 1e9 else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + (delay ?? limit)) { [weak self] in
            guard let self else { return }
            place.run { [weak self] in self?.checkTime(limit) }
        }
    }

    private func checkTime(_ limit: Double) {
        guard isRunning else { return }
        let rest = isPaused ? limit : limit - lastActivity.duration(to: .now) / .seconds(1)
        if rest > 0 { watchTime(after: rest) } else { fail(LoadingFailure.error(.timedOut, request.url)) }
    }

    /// The session's, unless the request has another than the 60 seconds that all have.
    private var timeLimit: Double {
        guard let session, request.timeoutInterval == 60 else { return request.timeoutInterval }
        return session.configuration.timeoutIntervalForRequest
    }
}

/// What the layers are asked, and what becomes of their response.
extension URLLoad {
    /// The network for what a redirect leads to and the client doesn't cover, where Foundation can't be given it back.
    private static let network = BundleClient.systemTransport()

    func ask() {
        let isLinkForbidden = client.link.isMetered && !(settings.mayUseMeteredLink && request.mayUseMeteredLink)
        guard let head = HTTPRequest(request, target, contentLength: content.length, session: settings) else {
            return fail(LoadingFailure.error(.badURL, request.url))
        }
        if case .file(let file, nil) = content { return fail(LoadingFailure.error(.fileDoesNotExist, file)) }
        guard isCovered else {
            return isLinkForbidden ? fail(LoadingFailure.error(.offline, request.url)) : askNetwork(head)
        }
        // The task that waits inherits the value.
        NetworkLink.$isForbidden.withValue(isLinkForbidden) { askLayers(head) }
    }

    private func askLayers(_ head: HTTPRequest) {
        switch client.startResponse(to: head) {
        case .complete(let response, let source, _): take(.complete(response, source))
        case .waiting(let respond):
            let exchange = ClientExchange(content: content.body, executor: executor, interim: { _ in })
            wait { await respond(exchange) }
        }
    }

    private func askNetwork(_ head: HTTPRequest) {
        var call = OriginCall(head)
        call.content = content.body
        wait { [call] in
            let response = try await Self.network.send(call)
            return .streaming(response.head, response.body, ResponseSource(.network))
        }
    }

    /// Asks with the content once more: for that of a stream which isn't kept, a new stream is needed.
    ///
    /// - Parameter otherwise: Called when there is none.
    func askAgain(otherwise: @escaping @Sendable () -> Void) {
        guard !content.canBeSent else { return ask() }
        renewContent { hasContent in
            if hasContent { self.ask() } else { otherwise() }
        }
    }

    private func wait(for respond: @escaping @Sendable () async throws -> ServedResponse) {
        work = Task(executorPreference: executor) { [self] in
            do {
                let response = try await respond()
                await proceed { $0.take(response) }
            } catch {
                await proceed { $0.fail(LoadingFailure.error(error, $0.request.url)) }
            }
        }
        watchTime()
    }

    private func take(_ response: ServedResponse) {
        guard isRunning else { return }
        settings.cookies.keep(response.head.headerFields, of: request)
        if let failure = response.source.failure {
            fail(LoadingFailure.error(failure, request.url))
        } else if let next = Redirection.request(after: response.head, to: request) {
            redirect(to: next, response)
        } else if let challenge = BasicChallenge(response.head) {
            respond(to: challenge, response)
        } else {
            deliver(response)
        }
    }
}

/// The response, as the client is told.
extension URLLoad {
    /// How much of a body that is there is delivered at once.
    private static let wholeByteCount = 1 << 20

    func deliver(_ response: ServedResponse) {
        guard let owner, let url = request.url else { return }
        guard let head = FinalResponse.make(response.head, for: url) else {
            return fail(LoadingFailure.error(.badServerResponse, url))
        }
        isChallenge = head is FinalResponse
        keepCredential(response.head)
        owner.client?.urlProtocol(owner, didReceive: head, cacheStoragePolicy: .notAllowed)
        switch response {
        case .complete(let response, _): deliver(response.body)
        case .streaming(_, let body, _): deliver { [body] }
        case .switching: fail(LoadingFailure.error(.badServerResponse, url))
        }
    }

    private func deliver(_ body: ResponseBody) {
        guard body.byteCount > Self.wholeByteCount, deliversPieces else {
            collected = Data(copying: body)
            guard !body.hasFaulted else {
                return fail(LoadingFailure.error(.cannotDecodeRawData, request.url))
            }
            return finish()
        }
        deliver { body.parts.map { BodyStream($0) } }
    }

    /// Delivers bodies one after the other, each piece once the one before has been taken.
    private func deliver(_ bodies: @escaping @Sendable () -> [BodyStream]) {
        work = Task(executorPreference: executor) { [self] in
            do {
                for body in bodies() {
                    for try await chunk in body {
                        await proceed { $0.receive(Data(chunk)) }
                        await session?.drain()
                        try Task.checkCancellation()
                    }
                }
                await proceed { $0.finish() }
            } catch {
                await proceed { $0.fail(LoadingFailure.error(error, $0.request.url)) }
            }
        }
    }

    private func receive(_ data: Data) {
        guard let owner, !data.isEmpty else { return }
        if deliversPieces {
            owner.client?.urlProtocol(owner, didLoad: data)
        } else {
            // Linux keeps only the last piece for a completion handler.
            collected.append(data)
        }
    }

    private func finish() {
        guard let owner else { return }
        let whole = collected
        end()
        if !whole.isEmpty { owner.client?.urlProtocol(owner, didLoad: whole) }
        guard isChallenge else {
            owner.client?.urlProtocolDidFinishLoading(owner)
            return
        }
        FinalResponse.withoutURL { owner.client?.urlProtocolDidFinishLoading(owner) }
    }
}

extension Data {
    fileprivate init(copying body: ResponseBody) {
        self.init(capacity: body.byteCount)
        for part in body.parts { part.withUnsafeBytes { append(contentsOf: $0) } }
    }
}

/// A response for which credentials have been asked for already, or can't be given.
///
/// Foundation on Linux asks for credentials at the end of a 401, by its own protocol and without the layers, and waits for ever
/// when there are none. It does neither for a response without a URL: so this one has none while the load ends.
///
/// `@unchecked Sendable`: as its superclass; it has no state of its own.
final class FinalResponse: HTTPURLResponse, @unchecked Sendable {
    private static let key = "org.offline-bundles.ending"

    override var url: URL? { Thread.current.threadDictionary[Self.key] == nil ? super.url : nil }

    /// Calls `body`, in which such responses have no URL on this thread.
    static func withoutURL(_ body: () -> Void) {
        let thread = Thread.current
        thread.threadDictionary[key] = true
        body()
        thread.threadDictionary.removeObject(forKey: key)
    }

    /// A response of the layers as a session gets it.
    static func make(_ head: HTTPResponse, for url: URL) -> HTTPURLResponse? {
        let lines = head.headerFields.lazy.map { ($0.name, $0.value) }
        let combined = Dictionary(lines, uniquingKeysWith: { "\($0), \($1)" })
        let fields = Dictionary(uniqueKeysWithValues: combined.lazy.map { ($0.key.rawName, $0.value) })
        let status = head.status.code
        guard status == 401 else {
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return FinalResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

import BundleEmbedding
import Dispatch
import Foundation
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
    var content: RequestContent
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
        let content = RequestContent(owner.request)
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
        session.needStream { content in
            self.place.run {
                guard self.isRunning else { return }
                self.content = content
                self.ask()
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

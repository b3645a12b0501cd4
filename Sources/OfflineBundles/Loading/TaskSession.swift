import BundleEmbedding
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session of a task, where a `URLProtocol` has to do itself what its client ought to: on Linux, whose client can't redirect,
/// responds to challenges without the layers, and keeps only the last piece of a body for a completion handler.
///
/// Elsewhere there is none: the methods of its delegate are optional there, and the client calls them.
///
/// `@unchecked Sendable`: the delegate is called on its queue.
struct TaskSession: @unchecked Sendable {
    let queue: DispatchQueue
    let configuration: URLSessionConfiguration
    /// The content of an upload task.
    let content: URLRequestContent
    /// Whether the content can only be had from the delegate.
    let lacksContent: Bool
    private let session: URLSession
    private let task: URLSessionTask
    private let delegate: (any URLSessionTaskDelegate)?

    /// To be made on the session's queue.
    ///
    /// - Returns: Nil where the client does everything, and without a task.
    init?(_ task: URLSessionTask?) {
        #if canImport(FoundationNetworking)
            guard let task, case let internals = TaskInternals(task), let session = internals.session,
                let queue = internals.queue
            else { return nil }
            (self.session, self.task, self.queue) = (session, task, queue)
            configuration = session.configuration
            delegate = task.delegate
            let isUpload = task is URLSessionUploadTask
            let known = isUpload ? internals.content : nil
            lacksContent = isUpload && known == nil
            switch known {
            case .data(let data): content = URLRequestContent([UInt8](data))
            case .file(let file): content = URLRequestContent(file: file)
            case .stream(let stream): content = URLRequestContent(stream)
            case nil: content = .none
            }
        #else
            return nil
        #endif
    }

    /// Whether pieces of a body may be delivered: a delegate gets them, and not a completion handler. To be asked on
    /// ``queue``.
    var deliversPieces: Bool {
        #if canImport(FoundationNetworking)
            TaskInternals(task).deliversPieces
        #else
            true
        #endif
    }

    /// Asks the delegate whether a redirect is to be followed, and by which request.
    func redirect(
        to request: URLRequest,
        _ response: HTTPURLResponse,
        _ decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            guard let delegate else { return decide(request) }
            session.delegateQueue.addOperation { [session, task] in
                delegate.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: request,
                    completionHandler: decide
                )
            }
        #endif
    }

    /// Asks the delegate for credentials.
    func respond(
        to challenge: URLAuthenticationChallenge,
        _ decide: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            guard let delegate else { return decide(.performDefaultHandling, nil) }
            session.delegateQueue.addOperation { [session, task] in
                delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: decide)
            }
        #endif
    }

    /// Asks the delegate for a stream with the content; nil when it gives none.
    func needStream(_ take: @escaping @Sendable (URLRequestContent?) -> Void) {
        #if canImport(FoundationNetworking)
            guard let delegate else { return take(nil) }
            session.delegateQueue.addOperation { [session, task] in
                delegate.urlSession(session, task: task, needNewBodyStream: { take($0.map { URLRequestContent($0) }) })
            }
        #endif
    }

    /// Waits until the delegate has taken what was delivered so far, or the task is cancelled.
    func drain() async {
        let (taken, continuation) = AsyncStream.makeStream(of: Void.self)
        session.delegateQueue.addOperation { continuation.finish() }
        for await _ in taken {}
    }
}

/// What a session adds to its requests, as far as it can be told. A value type.
struct SessionSettings {
    /// Fields that a request without them gets. Apple's systems add them before a `URLProtocol` sees the request.
    var fields: [String: String] = [:]
    var cookies: CookieHandling
    var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    var credentials: URLCredentialStorage?
    var mayUseMeteredLink: Bool

    /// - Parameter configuration: That of the session; nil where it isn't known.
    init(_ configuration: URLSessionConfiguration?, _ options: LoadingOptions) {
        guard let configuration else {
            (cookies, credentials) = (options.cookies, options.credentials)
            mayUseMeteredLink = options.mayUseMeteredLink
            return
        }
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            if let name = name as? String { fields[name] = "\(value)" }
        }
        let storage = configuration.httpShouldSetCookies ? configuration.httpCookieStorage : nil
        cookies = CookieHandling(storage: storage, accepts: configuration.httpCookieAcceptPolicy)
        cachePolicy = configuration.requestCachePolicy
        credentials = configuration.urlCredentialStorage
        mayUseMeteredLink = configuration.mayUseMeteredLink
    }
}

extension URLSessionConfiguration {
    /// Whether every kind of metered link may be used. Linux has one property for that.
    var mayUseMeteredLink: Bool {
        #if canImport(FoundationNetworking)
            allowsCellularAccess
        #else
            allowsCellularAccess && allowsExpensiveNetworkAccess && allowsConstrainedNetworkAccess
        #endif
    }
}

extension URLRequest {
    /// Whether every kind of metered link may be used. Linux has one property for that.
    var mayUseMeteredLink: Bool {
        #if canImport(FoundationNetworking)
            allowsCellularAccess
        #else
            allowsCellularAccess && allowsExpensiveNetworkAccess && allowsConstrainedNetworkAccess
        #endif
    }
}

/// Where the client of a `URLProtocol` has to be called: on the thread that called `startLoading`, in the modes of its run loop
/// (Apple, “URLProtocolClient”). On Linux that thread belongs to the session's queue and has no run loop; the client's state is
/// that of the queue.
///
/// `@unchecked Sendable`: a run loop is only told, from any thread, what to perform.
enum LoadingPlace: @unchecked Sendable {
    case queue(DispatchQueue)
    case runLoop(RunLoop, modes: [RunLoop.Mode])

    /// That of the calling thread.
    ///
    /// - Parameter queue: The queue on which the session works, if it is known.
    static func current(_ queue: DispatchQueue?) -> LoadingPlace {
        if let queue { return .queue(queue) }
        let loop = RunLoop.current
        // A thread whose run loop doesn't run would never perform anything.
        guard let mode = loop.currentMode else { return .queue(DispatchQueue(label: "org.offline-bundles.loading")) }
        return .runLoop(loop, modes: mode == .default ? [.default, .common] : [.default, .common, mode])
    }

    /// Runs `body` there, later.
    func run(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: body)
        case .runLoop(let loop, let modes):
            loop.perform(inModes: modes, block: body)
            Self.wake(loop, modes)
        }
    }

    private static func wake(_ loop: RunLoop, _ modes: [RunLoop.Mode]) {
        #if canImport(FoundationNetworking)
            // A block alone doesn't wake the loop, and there is nothing else here that does.
            let timer = Timer(timeInterval: 0, repeats: false) { _ in }
            for mode in modes { loop.add(timer, forMode: mode) }
        #else
            CFRunLoopWakeUp(loop.getCFRunLoop())
        #endif
    }
}

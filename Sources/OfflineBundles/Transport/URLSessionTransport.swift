import BundleEmbedding
import BundleModel
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network of an app: `URLSession`, without a server's libraries.
///
/// It keeps no cookie, credential or response of its own, and follows no redirect. What `URLSession` does differently from
/// the transport of servers is listed in <doc:URLSessionTransport-differences>.
///
/// Safe to use from any number of tasks at once. With the last copy and the last response the connections are closed.
public final class URLSessionTransport: OriginTransport {
    private let delegate: SessionDelegate
    private let session: URLSession
    private let limits: URLSessionLimits
    private let asksForCodings: Bool

    /// Creates a transport without connecting.
    ///
    /// - Parameters:
    ///   - firstByteTimeout: How long the head of the response may take from the beginning of the request; a time in which
    ///     the request waits for a connection counts. More than zero.
    ///   - silenceTimeout: How long the origin may stay silent between two parts of a response. More than zero. There is no
    ///     limit on a transfer's whole duration, and none at all on the silence of an event stream (`text/event-stream`).
    ///   - asksForCodings: Whether requests that don't name content codings get what `URLSession` can undo, which saves
    ///     traffic; false for none (`identity`), so that lengths and entity tags are those of the origin. Requests for a
    ///     range never get any. Default: true.
    ///   - maximumConnectionsPerHost: How many connections to one origin are open at once, at least 1; further requests
    ///     wait.
    ///   - maximumUnreadByteCount: The most bytes of one response that arrive before they are read, 0 or more; a response
    ///     that exceeds it breaks off. Where `URLSession` can be made to wait, it waits far below this; on Linux it can't,
    ///     and what isn't read yet is in a temporary file. Default: 1 GiB.
    ///   - delegate: The app's, for the challenges of connections: whether a server's certificate is trusted, the client's
    ///     certificate, and a proxy's credentials. Its `urlSession(_:didReceive:completionHandler:)` is called, and where it has none its
    ///     `urlSession(_:task:didReceive:completionHandler:)`, with the session of this transport, which retains it. When it
    ///     cancels that of a server, the request ends with `URLError.serverCertificateUntrusted`. Foundation on Linux has no
    ///     such challenges. Default: none, the system decides.
    ///   - configure: Changes the configuration of the session, once: whether it may use cellular, expensive and constrained
    ///     links, whether it waits for connectivity, proxies, TLS versions, `URLProtocol` classes of the app. The session's own
    ///     cache, cookies and credentials stay off, its time limits are those above, and ``BundleURLProtocol`` never sees its requests.
    public init(
        firstByteTimeout: Duration = .seconds(30),
        silenceTimeout: Duration = .seconds(30),
        asksForCodings: Bool = true,
        maximumConnectionsPerHost: Int = 32,
        maximumUnreadByteCount: Int64 = 1 << 30,
        delegate: (any URLSessionDelegate & Sendable)? = nil,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
        configure(configuration)
        Self.keepNothing(in: configuration)
        self.asksForCodings = asksForCodings
        limits = URLSessionLimits(
            firstByte: firstByteTimeout,
            silence: silenceTimeout,
            unreadByteCount: maximumUnreadByteCount
        )
        self.delegate = SessionDelegate(delegate)
        session = URLSession(configuration: configuration, delegate: self.delegate, delegateQueue: self.delegate.queue)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    static func keepNothing(in configuration: URLSessionConfiguration) {
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The limits are this transport's: URLSession's are whole seconds on Linux.
        configuration.timeoutIntervalForRequest = 24 * 3_600
        configuration.timeoutIntervalForResource = 7 * 24 * 3_600
        configuration.protocolClasses = configuration.protocolClasses?.filter { !($0 is BundleURLProtocol.Type) }
    }

    /// Sends a request and returns when the response's head has arrived.
    ///
    /// The content is read to its end first: `URLSession` would read it on its own thread, which must not wait.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response arrives, and
    ///   `invalidArgument` when the request can't be sent by `URLSession`: no http or https URL, a field value that isn't
    ///   UTF-8, a switch of protocols, content of a GET, or another address than the URL's for https; what reading the
    ///   content throws; `CancellationError` when the task is cancelled.
    public func send(_ call: OriginCall) async throws -> OriginResponse {
        let request = try URLRequest(call, asksForCodings: asksForCodings)
        let failure = URLSessionFailure(request.url, limits)
        let content = try await call.content.asyncMap { stream in
            try await SpooledContent(reading: stream, length: call.request.headerFields[.contentLength])
        }
        try Task.checkCancellation()
        let response = PendingURLResponse(task(request, content), failure, limits, onInterim: call.onInterim)
        delegate.add(response)
        let head = try await response.head()
        let body = URLResponseBody(owner: URLResponseOwner(response, of: self))
        return OriginResponse(head: head, body: BodyStream(body))
    }

    private func task(_ request: URLRequest, _ content: SpooledContent?) -> URLSessionDataTask {
        switch content?.storage {
        case .memory(let bytes): session.uploadTask(with: request, from: bytes)
        case .file(let file): session.uploadTask(with: request, fromFile: file.url)
        case nil: session.dataTask(with: request)
        }
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<Result: Sendable>(
        _ transform: (Wrapped) async throws -> Result
    ) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}

/// What a response may take. A value type.
struct URLSessionLimits: Sendable {
    /// How long the head may take.
    let firstByte: Duration
    /// How long nothing may arrive after it.
    let silence: Duration
    /// How much may arrive before it is read.
    let unreadByteCount: Int64
}

/// Passes what a session reports to the responses that wait for it. Thread-safe.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    /// Runs the delegate's methods, one at a time.
    let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    private let app: (any URLSessionDelegate & Sendable)?
    private let responses = Mutex<[Int: PendingURLResponse]>([:])

    /// - Parameter app: The app's delegate, for the challenges of connections.
    init(_ app: (any URLSessionDelegate & Sendable)?) {
        self.app = app
    }

    /// Takes a response whose task hasn't been started.
    func add(_ response: PendingURLResponse) {
        responses.withLock { $0[response.task.taskIdentifier] = response }
    }

    private func response(to task: URLSessionTask) -> PendingURLResponse? {
        responses.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive head: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = head as? HTTPURLResponse { response(to: dataTask)?.receive(head) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        response(to: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // The redirect itself is the response.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping (CachedURLResponse?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // This comes once the whole response has been delivered; any other disposition would never end the task.
            remove(task)?.end(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            // Challenges of connections come here too, since this class has no method for those of the session (Apple,
            // “Handling an authentication challenge”).
            let space = challenge.protectionSpace
            let methods = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
            // Others are an origin's: the 401 itself is the response.
            guard space.isProxy() || methods.contains(space.authenticationMethod) else {
                return completionHandler(.rejectProtectionSpace, nil)
            }
            let response = responses.withLock { $0[task.taskIdentifier] }
            let refusal = Self.refusal(space.authenticationMethod)
            let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
                // The task ends with `cancelled` then, as if the client had ended it.
                if $0 == .cancelAuthenticationChallenge { response?.end(refusal) }
                completionHandler($0, $1)
            }
            // The order is that of a session whose delegate is the app's.
            guard app?.urlSession?(session, didReceive: challenge, completionHandler: decide) == nil else { return }
            let app = app as? any URLSessionTaskDelegate
            guard app?.urlSession?(session, task: task, didReceive: challenge, completionHandler: decide) == nil else {
                return
            }
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    #if !canImport(FoundationNetworking)
        /// How a request ends whose challenge the app's delegate cancels.
        private static func refusal(_ method: String) -> URLError {
            switch method {
            case NSURLAuthenticationMethodServerTrust: URLError(.serverCertificateUntrusted)
            case NSURLAuthenticationMethodClientCertificate: URLError(.clientCertificateRequired)
            default: URLError(.userAuthenticationRequired)
            }
        }
    #endif

    private func remove(_ task: URLSessionTask) -> PendingURLResponse? {
        responses.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        Self.settle(task)
        remove(task)?.end(error)
    }

    /// Waits until a cancellation that is under way has taken place. Foundation on Linux forgets the task behind this, and a
    /// task that is cancelled after that ends the process: `cancel` takes two steps on the task's queue, on which reading the
    /// priority waits for those before.
    static func settle(_ task: URLSessionTask) {
        #if canImport(FoundationNetworking)
            for _ in 0..<2 { _ = task.priority }
        #endif
    }
}

/// Turns an error of `URLSession` into one line for the user. A value type.
struct URLSessionFailure: Sendable {
    private let place: String
    private let limits: URLSessionLimits

    init(_ url: URL?, _ limits: URLSessionLimits) {
        let host = url?.host() ?? ""
        let port = url?.port ?? (url?.scheme == "https" ? 443 : 80)
        place = Printable.text("\(host.contains(":") ? "[\(host)]" : host):\(port)")
        self.limits = limits
    }

    /// - Parameter isReading: Whether the head of the response has arrived.
    func error(from error: any Error, isReading: Bool) -> any Error {
        guard let error = error as? URLError else { return error is BundleError ? error : unknown(error, isReading) }
        guard error.code != .cancelled else { return CancellationError() }
        let cause = Self.specified(error)
        let (reason, advice) = Self.explanation(of: cause)
        return failure(reason, advice, isReading, cause)
    }

    /// Nothing has arrived for too long.
    func silence(isReading: Bool) -> BundleError {
        failure(
            "no data for \(isReading ? limits.silence : limits.firstByte)",
            "check the server, or try again later",
            isReading,
            URLError(.timedOut)
        )
    }

    /// The response has ended without a head.
    var noResponse: BundleError {
        failure("it sent no response", "check that the address is right", false, URLError(.badServerResponse))
    }

    /// More has arrived than may be kept.
    var excess: BundleError {
        failure(
            "more than \(limits.unreadByteCount) bytes arrived before they were read",
            "read it faster",
            true,
            URLError(.dataLengthExceedsMaximum)
        )
    }

    private func unknown(_ error: any Error, _ isReading: Bool) -> BundleError {
        failure(Printable.text(String(describing: error)), "check the address and the network", isReading, error)
    }

    private func failure(_ reason: String, _ advice: String, _ isReading: Bool, _ cause: any Error) -> BundleError {
        let what = isReading ? "the response from \(place) broke off" : "could not reach \(place)"
        return BundleError(.networkUnavailable, "\(what): \(reason); \(advice)", cause: cause)
    }

    /// On Linux what libcurl says of TLS comes without a code of its own.
    private static func specified(_ error: URLError) -> URLError {
        let text = error.localizedDescription
        guard error.code == .unknown, text.contains("certificate") || text.contains("SSL") else { return error }
        let code = text.contains("certificate") ? URLError.Code.serverCertificateUntrusted : .secureConnectionFailed
        return URLError(code, userInfo: error.userInfo)
    }

    private static func explanation(of error: URLError) -> (reason: String, advice: String) {
        switch error.code {
        case .cannotConnectToHost:
            ("connection refused", "check that the server is running and that the port is right")
        case .cannotFindHost, .dnsLookupFailed: ("the name has no address", "check the host name and the network")
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed: ("no route to it", "check the network")
        case .networkConnectionLost, .badServerResponse, .cannotParseResponse, .unknown:
            ("the server closed the connection too early", "check the server, or try again")
        case .timedOut: ("no data in time", "check the server, or try again later")
        case .secureConnectionFailed: Self.handshake
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            Self.certificate
        default: (Printable.text(error.localizedDescription), "check the address and the network")
        }
    }

    private static let certificate = ("its certificate isn't trusted", "check the address and the certificate")
    private static let handshake = (
        "the TLS handshake failed", "check that the address is right and that the server speaks https"
    )
}

extension URLError: OriginFailureCause {
    package var originFailure: OriginFailure {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: .unknownHost
        case .cannotConnectToHost: .refused
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed: .unreachable
        case .timedOut: .silence
        case .secureConnectionFailed: .handshake
        case .serverCertificateHasBadDate: .expiredCertificate
        case .serverCertificateNotYetValid: .notYetValidCertificate
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .certificateOfUnknownIssuer
        default: .brokenOff
        }
    }
}

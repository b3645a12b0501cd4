import BundleEmbedding
import Foundation
import HTTPTypes

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
    private let limits: TransportLimits
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
    ///   - protocolClasses: The `URLProtocol` classes that see the requests before the network does, for an app that has
    ///     others; ``BundleURLProtocol``, whose requests these are, is never among them. Default: those of the system.
    public init(
        firstByteTimeout: Duration = .seconds(30),
        silenceTimeout: Duration = .seconds(30),
        asksForCodings: Bool = true,
        maximumConnectionsPerHost: Int = 32,
        maximumUnreadByteCount: Int64 = 1 << 30,
        protocolClasses: [AnyClass]? = nil
    ) {
        let configuration = Self.configuration(protocolClasses)
        configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
        self.asksForCodings = asksForCodings
        limits = TransportLimits(
            firstByte: firstByteTimeout,
            silence: silenceTimeout,
            unreadByteCount: maximumUnreadByteCount
        )
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// One that keeps nothing.
    private static func configuration(_ protocolClasses: [AnyClass]?) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The limits are this transport's: URLSession's are whole seconds on Linux.
        configuration.timeoutIntervalForRequest = 24 * 3_600
        let classes = protocolClasses ?? configuration.protocolClasses ?? []
        configuration.protocolClasses = classes.filter { !($0 is BundleURLProtocol.Type) }
        return configuration
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

import BundleEmbedding
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session of a task, where a `URLProtocol` has to do itself what its client ought to: on Linux, whose client can't redirect,
/// responds to challenges without the layers, and keeps only the last piece of a body for a completion handler.
///
/// `@unchecked Sendable`: the delegate is called on its queue.
struct TaskSession: @unchecked Sendable {
    let queue: DispatchQueue
    let configuration: URLSessionConfiguration
    /// The content of an upload task.
    let content: RequestContent
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
            case .data(let data): content = data.isEmpty ? .none : .data(data)
            case .file(let file): content = RequestContent(file: file)
            case .stream(let stream): content = .stream(stream)
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
    }

    /// Asks the delegate for credentials.
    func respond(
        to challenge: URLAuthenticationChallenge,
        _ decide: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let delegate else { return decide(.performDefaultHandling, nil) }
        session.delegateQueue.addOperation { [session, task] in
            delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: decide)
        }
    }

    /// Asks the delegate for a stream with the content.
    func needStream(_ take: @escaping @Sendable (RequestContent) -> Void) {
        guard let delegate else { return take(.none) }
        session.delegateQueue.addOperation { [session, task] in
            delegate.urlSession(
                session,
                task: task,
                needNewBodyStream: { take($0.map(RequestContent.stream) ?? .none) }
            )
        }
    }

    /// Waits until the delegate has taken what was delivered so far, or the task is cancelled.
    func drain() async {
        let (taken, continuation) = AsyncStream.makeStream(of: Void.self)
        session.delegateQueue.addOperation { continuation.finish() }
        for await _ in taken {}
    }
}

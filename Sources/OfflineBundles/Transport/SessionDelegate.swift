import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes what a session reports to the responses that wait for it. Thread-safe.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    /// Runs the delegate's methods, one at a time.
    let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    private let responses = Mutex<[Int: PendingURLResponse]>([:])

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
            // The 401 itself is the response; certificates are checked as usual.
            let isOfConnection = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            completionHandler(isOfConnection ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
    }

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

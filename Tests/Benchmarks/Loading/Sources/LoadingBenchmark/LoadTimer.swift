import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of the sessions, which loads one URL after the other.
///
/// `@unchecked Sendable`: the semaphore separates the uses by the calling thread from those by the session's queue.
final class LoadTimer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var (start, first, end) = (ContinuousClock.now, ContinuousClock.now, ContinuousClock.now)
    private var byteCount = 0

    /// Loads a URL, past the session's own cache.
    ///
    /// - Parameter count: The bytes that have to arrive.
    /// - Returns: The times to the body's first byte and to its end, in microseconds.
    func load(_ url: URL, _ session: URLSession, expecting count: Int) -> (first: Double, end: Double) {
        byteCount = 0
        var request = URLRequest(url: url)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let task = session.dataTask(with: request)
        start = .now
        task.resume()
        done.wait()
        precondition(byteCount == count, "\(url): \(byteCount) bytes")
        return (start.duration(to: first) / .microseconds(1), start.duration(to: end) / .microseconds(1))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if byteCount == 0 { first = .now }
        byteCount += data.count
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end = .now
        done.signal()
    }
}

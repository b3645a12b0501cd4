// For Apple's systems alone: Foundation on Linux has no sessions in the background.
#if canImport(BackgroundTasks) && !os(macOS) && !canImport(FoundationNetworking)
    import BundleModel
    import BundleUpdate
    import Foundation
    import HTTPCore
    import HTTPTypes

    /// A background `URLSession`, without cookies, credentials and a cache. The system runs its tasks in a process of its own. Thread-safe.
    ///
    /// The session is never invalidated: the app can't make another one of the same identifier before its tasks have ended.
    struct URLBackgroundSession: BackgroundSession {
        /// The longest time for a file in seconds. After it, the next update starts over.
        private static let deadline: TimeInterval = 24 * 3_600

        let identifier: String
        private let session: URLSession

        /// Makes the session of this process, which gets the events of earlier processes' tasks. There may be one with an identifier.
        ///
        /// - Parameter events: Told what happens, on a queue of the session's.
        init(_ identifier: String, _ events: BackgroundEvents) {
            self.identifier = identifier
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            URLSessionTransport.keepNothing(in: configuration)
            configuration.timeoutIntervalForResource = Self.deadline
            configuration.sessionSendsLaunchEvents = true
            let delegate = BackgroundSessionDelegate(events)
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        func transfers() async -> [BackgroundTransfer] {
            await session.allTasks.filter { $0.state != .canceling }
                .map { task in
                    BackgroundTransfer(
                        identifier: task.taskIdentifier,
                        description: task.taskDescription,
                        hasBegun: task.countOfBytesReceived > 0
                    )
                }
        }

        func start(_ transfer: TransferRequest) throws {
            var request = try URLRequest(OriginCall(transfer.request), asksForCodings: false)
            request.allowsExpensiveNetworkAccess = transfer.permitsMetered
            request.allowsConstrainedNetworkAccess = transfer.permitsMetered
            let task = session.downloadTask(with: request)
            task.taskDescription = transfer.download.description
            task.countOfBytesClientExpectsToReceive = transfer.byteCount
            task.resume()
        }

        func cancel(_ identifiers: Set<Int>) async {
            for task in await session.allTasks where identifiers.contains(task.taskIdentifier) { task.cancel() }
        }
    }

    /// Passes on what a background session reports. Thread-safe.
    private final class BackgroundSessionDelegate: NSObject, URLSessionDownloadDelegate {
        private let events: BackgroundEvents

        init(_ events: BackgroundEvents) {
            self.events = events
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) {
            // The expected length is negative where the server doesn't name it.
            let byteCount = max(totalBytesWritten, totalBytesExpectedToWrite)
            if !events.permits(byteCount, of: downloadTask.taskDescription) { downloadTask.cancel() }
        }

        /// The system removes the file when this returns.
        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            guard let response = downloadTask.response as? HTTPURLResponse,
                let url = response.url ?? downloadTask.originalRequest?.url
            else { return events.ended(downloadTask.taskDescription, Self.failure(of: downloadTask).noResponse) }
            events.received(downloadTask.taskDescription, HTTPResponse(response), from: url, in: location)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let error else { return }
            // Nil for a cancellation, by this process or by a person who ends the app.
            let cause = Self.failure(of: task).error(from: error, isReading: false) as? BundleError
            events.ended(task.taskDescription, cause)
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            events.deliveredAll()
        }

        private static func failure(of task: URLSessionTask) -> URLSessionFailure {
            let limits = URLSessionLimits(firstByte: .zero, silence: .zero, unreadByteCount: .max)
            return URLSessionFailure(task.originalRequest?.url, limits)
        }
    }
#endif

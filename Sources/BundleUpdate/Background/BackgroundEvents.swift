import BundleStore
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// What a session of the system tells of its tasks, also of those that an earlier process has started. Thread-safe.
///
/// The session calls ``permits(_:of:)``, ``received(_:_:from:in:)``, ``ended(_:_:)`` and ``deliveredAll()``, one at a time. None of
/// them waits.
package final class BackgroundEvents: Sendable {
    private struct State {
        /// What is being taken into the store.
        var taken: [BackgroundDownload] = []
        /// Those that have sent more than was announced.
        var excessive: Set<BackgroundDownload> = []
        /// Whether the session has told all that has happened without the process.
        var hasDeliveredAll = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0

        /// Those who needn't wait any longer.
        mutating func released() -> [CheckedContinuation<Void, Never>] {
            guard hasDeliveredAll, taken.isEmpty, !waiters.isEmpty else { return [] }
            defer { (hasDeliveredAll, waiters) = (false, [:]) }
            return waiters.values.map(\.self)
        }
    }

    private let state = Mutex(State())
    private let take: @Sendable (BackgroundResult) async -> Void

    /// - Parameter take: Takes a result into the store, and goes on with the bundle's update.
    package init(taking take: @escaping @Sendable (BackgroundResult) async -> Void) {
        self.take = take
    }

    /// Whether a task may go on after so many bytes of its response. A task that may not is to be cancelled.
    package func permits(_ byteCount: Int64, of description: String?) -> Bool {
        guard let download = description.flatMap(BackgroundDownload.init) else { return false }
        guard byteCount > download.size else { return true }
        _ = state.withLock { $0.excessive.insert(download) }
        return false
    }

    /// A task has received its whole response. The file may be removed once this returns.
    ///
    /// - Parameters:
    ///   - description: The task's.
    ///   - head: The response.
    ///   - url: The URL that served it.
    ///   - file: The `file` URL of the content.
    package func received(_ description: String?, _ head: HTTPResponse, from url: URL, in file: URL) {
        guard let download = description.flatMap(BackgroundDownload.init) else { return }
        _ = state.withLock { $0.excessive.remove(download) }
        let response = Result { () throws(BundleError) in try ArrivedResponse(head, from: url, in: file) }
        begin(BackgroundResult(download: download, response: response))
    }

    /// A task has ended without a response of its own.
    ///
    /// - Parameters:
    ///   - description: The task's.
    ///   - error: Why; nil when the task was cancelled.
    package func ended(_ description: String?, _ error: BundleError?) {
        guard let download = description.flatMap(BackgroundDownload.init) else { return }
        let isExcessive = state.withLock { $0.excessive.remove(download) != nil }
        guard let error = isExcessive ? Self.excess(of: download) : error else { return }
        begin(BackgroundResult(download: download, response: .failure(error)))
    }

    /// The session has told all that has happened while the process was suspended or gone.
    package func deliveredAll() {
        resume { $0.hasDeliveredAll = true }
    }

    /// Waits until the session has told all, and until all files are taken; or until the task is cancelled.
    package func finish() async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                resume { $0.waiters[number] = waiter }
                // Cancelled before it waited, it isn't told.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Whether the response of a download has come, and is being taken.
    func isTaking(_ download: BackgroundDownload) -> Bool { state.withLock { $0.taken.contains(download) } }

    private func begin(_ result: BackgroundResult) {
        state.withLock { state in
            // What is told now belongs to another delivery than the one before.
            if state.waiters.isEmpty { state.hasDeliveredAll = false }
            state.taken.append(result.download)
        }
        Task {
            await take(result)
            resume { state in
                if let index = state.taken.firstIndex(of: result.download) { state.taken.remove(at: index) }
            }
        }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }

    /// Changes the state, and resumes those who needn't wait any longer.
    private func resume(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.released()
        }
        for waiter in waiters { waiter.resume() }
    }

    private static func excess(of download: BackgroundDownload) -> BundleError {
        BundleError(
            .invalidFeed,
            "a file for \(download.bundle) has more than the \(download.size) bytes that the feed says; publish it again"
        )
    }
}

/// What has become of a file that the system was to download. Safe to share between threads.
package struct BackgroundResult: Sendable {
    /// The file.
    package let download: BackgroundDownload
    let response: Result<ArrivedResponse, BundleError>
}

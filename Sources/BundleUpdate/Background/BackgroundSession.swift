import HTTPTypes

/// A session of the system that downloads files while the process is suspended or gone, as `URLSession` does in the background.
///
/// Its tasks belong to its identifier: a process that makes a session of the same identifier finds them again, and is told what has
/// become of them by ``BackgroundEvents``. Thread-safe.
package protocol BackgroundSession: Sendable {
    /// What the app calls it.
    var identifier: String { get }

    /// The tasks that haven't been cancelled, and whose end hasn't been told.
    func transfers() async -> [BackgroundTransfer]

    /// Starts a task.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the request can't be sent.
    func start(_ transfer: TransferRequest) throws

    /// Cancels tasks; those that have ended are left out.
    func cancel(_ identifiers: Set<Int>) async
}

/// What a session is asked to download. A value type; safe to share between threads.
package struct TransferRequest: Sendable {
    /// A GET whose `scheme`, `authority` and `path` are set.
    package let request: HTTPRequest
    /// What the task is described by.
    package let download: BackgroundDownload
    /// The bytes that are expected, 1 or more.
    package let byteCount: Int64
    /// Whether it may use a metered link. Otherwise it waits for another one.
    package let permitsMetered: Bool
}

import BundleStore
import CBundle
import Dispatch

/// C's callbacks for a load. They are called on a queue: those that wait don't take a thread of Swift's tasks.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
struct LoadCallbacks: @unchecked Sendable {
    private let callbacks: ob_load_callbacks
    private let context: CContext
    private let queue = DispatchQueue(label: "ob_load")

    init(_ callbacks: UnsafePointer<ob_load_callbacks>, _ context: UnsafeMutableRawPointer?) throws(BundleError) {
        self.context = CContext(pointer: context)
        self.callbacks = try CArgument.structure(
            callbacks,
            default: ob_load_callbacks(),
            minimum: MemoryLayout<ob_load_callbacks>.size,
            "ob_load_callbacks"
        )
    }

    /// - Throws: `CancellationError` when the task is cancelled or the callback wants no more.
    func head(_ response: ResponseHandle) async throws {
        guard let callback = callbacks.head else { return }
        try await proceeding {
            let handle = Handle.make(response)
            defer { Handle<ResponseHandle>.release(handle) }
            return callback(context.pointer, handle)
        }
    }

    /// - Throws: As ``head(_:)``.
    func body(_ chunk: [UInt8]) async throws {
        guard let callback = callbacks.body else { return }
        try await proceeding {
            chunk.withUnsafeBytes { bytes in
                bytes.baseAddress.map { callback(context.pointer, $0, bytes.count) } ?? true
            }
        }
    }

    /// - Parameter failure: Nil when the body is complete.
    func end(_ failure: Failure?) async {
        guard let callback = callbacks.end else { return }
        await onQueue {
            let handle = failure.map { Handle.make($0) }
            callback(context.pointer, handle)
            Handle<Failure>.release(handle)
        }
    }

    private func proceeding(_ callback: @escaping @Sendable () -> Bool) async throws {
        try Task.checkCancellation()
        guard await onQueue(callback) else { throw CancellationError() }
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}

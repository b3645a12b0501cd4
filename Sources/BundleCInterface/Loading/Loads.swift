import BundleEmbedding
import BundleServing
import BundleStore
public import CBundle
import Dispatch

/// The longest body of `ob_load` unless the program names another, in bytes.
private let defaultMaximumLength = 64 << 20

/// See `offline_bundles.h`.
@c @implementation
public func ob_begin(
    _ client: OpaquePointer,
    _ request: UnsafePointer<ob_request>,
    _ response: UnsafeMutablePointer<OpaquePointer?>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    response.pointee = nil
    return reporting(error) {
        response.pointee = try client.begin(LoadRequest(request)).map { Handle.make($0) }
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_load(
    _ client: OpaquePointer,
    _ request: UnsafePointer<ob_request>,
    _ maximum_length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client)
    let limit = maximum_length > 0 ? maximum_length : maximum_length == 0 ? defaultMaximumLength : Int.max
    return reporting(error) {
        let request = try LoadRequest(request)
        return Handle.make(try client.wait { _ in try await client.load(request, atMost: limit) })
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_load_start(
    _ client: OpaquePointer,
    _ request: UnsafePointer<ob_request>,
    _ callbacks: UnsafePointer<ob_load_callbacks>,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let request = try LoadRequest(request)
        let callbacks = try CArgument.structure(callbacks, "ob_load_callbacks")
        let work = try client.callbacks.begin()
        let run = LoadRun(
            client: client,
            request: request,
            callbacks: LoadCallbacks(callbacks, CContext(pointer: context), work)
        )
        return Handle.make(TaskHandle(work, run.run))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_task_cancel(_ task: OpaquePointer) { Handle<TaskHandle>.object(task).cancel() }

/// See `offline_bundles.h`.
@c @implementation
public func ob_task_free(_ task: OpaquePointer?) { Handle<TaskHandle>.release(task) }

/// A load whose callbacks C has given.
struct LoadRun: Sendable {
    let client: ClientHandle
    let request: LoadRequest
    let callbacks: LoadCallbacks

    /// Runs in a task of its own, until after the last callback.
    func run() async {
        do {
            try await load()
            await callbacks.end(nil)
        } catch {
            await callbacks.end(Failure(client.callbacks.isClosed ? ClientCallbacks.closed : error))
        }
    }

    private func load() async throws {
        let response = try await client.respond(to: request)
        try await callbacks.head(ResponseHandle(response.head, response.source))
        switch response {
        case .complete(let response, _):
            for part in response.body.parts { try await send(BodyStream(part), from: part) }
        case .streaming(_, let body, _):
            try await send(body, from: nil)
        case .switching: break
        }
    }

    /// - Parameter slice: Where the chunks are copied from, to check that they could be read.
    private func send(_ body: BodyStream, from slice: ByteSlice?) async throws {
        for try await chunk in body where !chunk.isEmpty {
            guard slice?.hasFaulted != true else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
            try client.checkOpen()
            try await callbacks.body(chunk)
        }
    }
}

/// C's callbacks for a load. They are called on a queue: those that wait don't take a thread of Swift's tasks.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
struct LoadCallbacks: @unchecked Sendable {
    private let callbacks: ob_load_callbacks
    private let context: CContext
    private let work: CallbackWork
    private let queue = DispatchQueue(label: "ob_load")

    init(_ callbacks: ob_load_callbacks, _ context: CContext, _ work: CallbackWork) {
        (self.callbacks, self.context, self.work) = (callbacks, context, work)
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
            queue.async { continuation.resume(returning: work.call(body)) }
        }
    }
}

/// What an `ob_task` is. Thread-safe.
final class TaskHandle: Sendable {
    private let task: Task<Void, Never>

    /// Begins work that calls the program. It is cancelled when the client is closed.
    init(_ calls: CallbackWork, _ work: @escaping @Sendable () async -> Void) {
        task = Task.detached {
            await work()
            calls.end()
        }
        calls.onClose(task.cancel)
    }

    func cancel() { task.cancel() }
}

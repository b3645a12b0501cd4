public import CBundle

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
        return Handle.make(try Waiting.run { _ in try await client.load(request, atMost: limit) })
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
        let run = LoadRun(
            client: client,
            request: try LoadRequest(request),
            callbacks: try LoadCallbacks(callbacks, context)
        )
        return Handle.make(TaskHandle(run.run))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_task_cancel(_ task: OpaquePointer) { Handle<TaskHandle>.object(task).cancel() }

/// See `offline_bundles.h`.
@c @implementation
public func ob_task_release(_ task: OpaquePointer?) { Handle<TaskHandle>.release(task) }

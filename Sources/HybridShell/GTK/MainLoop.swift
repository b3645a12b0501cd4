import CWebKitGTK

/// The way to the thread of GTK, which is the main thread. While GTK's loop runs, nothing serves the main actor's own
/// queue: code on other threads comes here, and tasks are detached ones.
enum MainLoop {
    private final class Work: Sendable {
        let body: @MainActor @Sendable () -> Void

        init(_ body: @escaping @MainActor @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` there, later, in the order of the calls.
    static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        // The source owns the box, and releases it when it is removed, which is after the first call.
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        let call: GSourceFunc = { work in
            if let work {
                let body = Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body
                MainActor.assumeIsolated { body() }
            }
            return 0
        }
        g_idle_add_full(G_PRIORITY_DEFAULT, call, work) { work in
            if let work { Unmanaged<Work>.fromOpaque(work).release() }
        }
    }

    /// Runs `body` there, and waits for what it returns.
    static func call<Result: Sendable>(_ body: @escaping @MainActor @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            run { continuation.resume(returning: body()) }
        }
    }

    /// Has `body` called once the process is asked to end, by Ctrl-C or SIGTERM.
    @MainActor
    static func onTermination(_ body: @escaping @MainActor @Sendable () -> Void) {
        for signal in [SIGINT, SIGTERM] {
            let work = Unmanaged.passRetained(Work(body)).toOpaque()
            let call: GSourceFunc = { work in
                if let work {
                    let body = Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body
                    MainActor.assumeIsolated { body() }
                }
                return 1
            }
            g_unix_signal_add_full(G_PRIORITY_DEFAULT, signal, call, work) { work in
                if let work { Unmanaged<Work>.fromOpaque(work).release() }
            }
        }
    }
}

/// A call of GIO's that completes later, on the same thread. The completion is kept until then.
@MainActor
enum AsyncCall {
    typealias Completion = @MainActor (_ result: OpaquePointer) -> Void

    private final class Box: Sendable {
        let completion: Completion

        init(_ completion: @escaping Completion) {
            self.completion = completion
        }
    }

    static func start(
        _ call: (GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
        completion: @escaping Completion
    ) {
        let callback: GAsyncReadyCallback = { _, result, box in
            guard let box, let result else { return }
            let completion = Unmanaged<Box>.fromOpaque(box).takeRetainedValue().completion
            nonisolated(unsafe) let pending = result
            MainActor.assumeIsolated { completion(pending) }
        }
        call(callback, Unmanaged.passRetained(Box(completion)).toOpaque())
    }
}

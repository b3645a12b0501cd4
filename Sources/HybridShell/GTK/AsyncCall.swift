import CWebKitGTK

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

import BundleEmbedding
import BundleStore
public import CBundle
import Dispatch

/// See `offline_bundles.h`.
@c @implementation
public func ob_observe_activations(
    _ client: OpaquePointer,
    _ callback: @escaping ob_activation_callback,
    _ end: ob_end_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let work = try client.callbacks.begin()
        let callbacks = ActivationCallbacks(callback, end, CContext(pointer: context), work)
        // From now on, not from when the task begins.
        let activations = client.client.activations
        return Handle.make(
            TaskHandle(work) {
                for await activation in activations { await callbacks.report(ActivationTexts(activation)) }
                await callbacks.finish()
            }
        )
    }
}

/// C's callbacks for activations, called on a queue as those of loads.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
private struct ActivationCallbacks: @unchecked Sendable {
    private let callback: ob_activation_callback
    private let end: ob_end_callback?
    private let context: CContext
    private let work: CallbackWork
    private let queue = DispatchQueue(label: "ob_observe_activations")

    init(
        _ callback: @escaping ob_activation_callback,
        _ end: ob_end_callback?,
        _ context: CContext,
        _ work: CallbackWork
    ) {
        (self.callback, self.end, self.context, self.work) = (callback, end, context, work)
    }

    func report(_ texts: ActivationTexts) async {
        await onQueue {
            callback(context.pointer, texts.name.pointer, texts.version?.pointer, texts.previous?.pointer)
        }
    }

    func finish() async {
        guard let end else { return }
        await onQueue { end(context.pointer) }
    }

    private func onQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work.call(body)
                continuation.resume()
            }
        }
    }
}

/// An activation for C.
private struct ActivationTexts: Sendable {
    let name: CText
    let version: CText?
    let previous: CText?

    init(_ activation: Activation) {
        name = CText(activation.name.string)
        version = activation.version.map { CText($0.string) }
        previous = activation.previous.map { CText($0.string) }
    }
}

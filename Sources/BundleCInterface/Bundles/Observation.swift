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
    _ context: UnsafeMutableRawPointer?
) -> OpaquePointer {
    let callbacks = ActivationCallbacks(callback: callback, end: end, context: CContext(pointer: context))
    // From now on, not from when the task begins.
    let activations = Handle<ClientHandle>.object(client).client.activations
    return Handle.make(
        TaskHandle {
            for await activation in activations { await callbacks.report(ActivationTexts(activation)) }
            callbacks.finish()
        }
    )
}

/// C's callbacks for activations, called on a queue as those of loads.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
private struct ActivationCallbacks: @unchecked Sendable {
    let callback: ob_activation_callback
    let end: ob_end_callback?
    let context: CContext
    private let queue = DispatchQueue(label: "ob_observe_activations")

    init(callback: @escaping ob_activation_callback, end: ob_end_callback?, context: CContext) {
        (self.callback, self.end, self.context) = (callback, end, context)
    }

    func report(_ texts: ActivationTexts) async {
        await withCheckedContinuation { continuation in
            queue.async {
                callback(context.pointer, texts.name.pointer, texts.version?.pointer, texts.previous?.pointer)
                continuation.resume()
            }
        }
    }

    func finish() {
        queue.async { end?(context.pointer) }
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

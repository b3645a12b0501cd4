import BundleStore
import CBundle

/// C's callback for the progress of work, which may cancel it.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
struct ProgressCallback: @unchecked Sendable {
    private let callback: ob_progress_callback?
    private let context: CContext

    init(_ callback: ob_progress_callback?, _ context: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.context = CContext(pointer: context)
    }

    /// Calls C.
    ///
    /// - Parameter cancel: Cancels the work.
    func report(_ progress: ByteProgress, cancel: () -> Void) {
        guard let callback, !callback(context.pointer, progress.done, progress.total) else { return }
        cancel()
    }
}

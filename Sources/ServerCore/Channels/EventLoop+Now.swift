import NIOCore

extension EventLoop {
    /// Runs `work` on the event loop: at once when this is its thread.
    func runNow(_ work: @escaping @Sendable () -> Void) {
        if inEventLoop { work() } else { execute(work) }
    }
}

import BundleModel
import HTTPCore
import Logging
import NIOCore

extension RelayedContent {
    /// Takes an origin's body as fast as the client takes it. Cancelling the task ends that.
    ///
    /// - Parameters:
    ///   - path: What the body is of, for the log.
    ///   - loop: The connection's event loop, on which this is called.
    ///   - executor: Runs tasks on the event loop.
    ///   - onChange: Called on the event loop when there is more to send, when the end has come, and when the body was cut.
    func relay(
        _ body: BodyStream,
        of path: String,
        on loop: any EventLoop,
        _ executor: EventLoopExecutor,
        _ logger: Logger,
        onChange: @escaping () -> Void
    ) -> Task<Void, Never> {
        let bound = NIOLoopBound((self, onChange), eventLoop: loop)
        return Task(executorPreference: executor) {
            var isWhole = true
            do {
                for try await chunk in body {
                    try await withCheckedThrowingContinuation { isTaken in
                        let (content, onChange) = bound.value
                        content.offer(ByteBuffer(bytes: chunk), isTaken)
                        onChange()
                    }
                }
            } catch {
                isWhole = false
                if let error = error as? BundleError {
                    logger.notice("\(Printable.text(path)) was cut short: \(error)")
                }
            }
            let (content, onChange) = bound.value
            if isWhole { content.end(body.trailers) } else { content.cut() }
            onChange()
        }
    }
}

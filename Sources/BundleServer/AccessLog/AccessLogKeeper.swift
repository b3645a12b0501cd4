import ServiceLifecycle
import UnixSignals

/// Maintains an access log while the server runs: opens its file again at SIGUSR1, as nginx does for logrotate, and
/// writes the remaining lines at the end.
struct AccessLogKeeper: Service {
    /// Nil when the access log is off: then the signal does nothing, where otherwise it would end the process.
    let log: AccessLog?
    /// SIGUSR1, trapped already.
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { log?.reopen() }
        await log?.finish()
    }
}

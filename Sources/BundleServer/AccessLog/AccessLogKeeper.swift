import ServiceLifecycle
import UnixSignals

/// Keeps an access log for as long as the server runs: opens its file anew at SIGUSR1, as nginx does for logrotate, and writes
/// out what is left in the end.
struct AccessLogKeeper: Service {
    /// Nil for none: then the signal does nothing, where otherwise it would end the process.
    let log: AccessLog?
    /// SIGUSR1, trapped already.
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { log?.reopen() }
        await log?.finish()
    }
}

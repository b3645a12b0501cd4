import ServiceLifecycle
import UnixSignals

/// Keeps an access log for as long as the server runs: opens its file anew at SIGUSR1, as nginx does for logrotate, and writes
/// out what is left in the end.
struct AccessLogKeeper: Service {
    let log: AccessLog

    func run() async {
        let signals = await UnixSignalsSequence(trapping: .sigusr1)
        for await _ in signals.cancelOnGracefulShutdown() { log.reopen() }
        log.finish()
    }
}

import Foundation
import Logging
import ServiceLifecycle

/// Looks again and again whether the certificate or its key has been renewed, and gives new connections the new one. Files
/// that are no good, as one that is only half written, change nothing.
struct CertificateWatcher: Service {
    /// A look costs some microseconds.
    static let interval: Duration = .seconds(2)

    let files: TLSFiles
    let source: TLSIdentitySource
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    /// What was told, so that it is told once.
    private struct Told {
        var isFailing = false
        var warning: String?
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var told = Told()
            tellWarning(&told)
            while !Task.isCancelled {
                // Throws only when the service is shut down or cancelled, which the loop's condition sees.
                try? await clock.sleep(for: Self.interval)
                look(&told)
                tellWarning(&told)
            }
        }
    }

    /// Reports a failure when it begins and when it is over, not with every look.
    private func look(_ told: inout Told) {
        guard TLSIdentity.stamps(of: files) != source.current.stamps else {
            if told.isFailing { logger.notice("the former certificate is back in its file") }
            return told.isFailing = false
        }
        do {
            source.replace(with: try TLSIdentity(files))
            logger.notice("new connections get the certificate that is in its file now")
            told = Told()
        } catch {
            if !told.isFailing { logger.error("the former certificate stays in use: \(error)") }
            told.isFailing = true
        }
    }

    /// Also a certificate that nobody touches expires.
    private func tellWarning(_ told: inout Told) {
        let warning = source.current.warning(at: now())
        if let warning, warning != told.warning { logger.warning("\(warning)") }
        told.warning = warning
    }
}

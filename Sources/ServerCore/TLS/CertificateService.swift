import Foundation
import Logging
import ServiceLifecycle

/// Checks regularly whether the certificate or its key has been renewed, and gives new connections the new one. Invalid
/// files, such as one that is only half written, are logged and change nothing.
package struct CertificateService: Service {
    /// A check costs a few microseconds.
    static let interval: Duration = .seconds(2)

    let files: TLSFiles
    let source: TLSIdentitySource
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    package init(
        files: TLSFiles,
        source: TLSIdentitySource,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        self.files = files
        self.source = source
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// What has been reported, so that nothing is reported twice.
    private struct Reported {
        var isFailing = false
        var warning: String?
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var reported = Reported()
            reportWarning(&reported)
            while !Task.isCancelled {
                // Throws only when the service is shut down or cancelled, which the loop's condition detects.
                try? await clock.sleep(for: Self.interval)
                look(&reported)
                reportWarning(&reported)
            }
        }
    }

    /// Reports a failure when it begins and when it ends, not at each check.
    private func look(_ reported: inout Reported) {
        guard TLSIdentity.stamps(of: files) != source.current.stamps else {
            if reported.isFailing { logger.notice("the former certificate is back in its file") }
            return reported.isFailing = false
        }
        do {
            source.replace(with: try TLSIdentity(files))
            logger.notice("new connections get the certificate that is in its file now")
            reported = Reported()
        } catch {
            if !reported.isFailing { logger.error("the former certificate stays in use: \(error)") }
            reported.isFailing = true
        }
    }

    /// At each check, because an unchanged certificate also expires.
    private func reportWarning(_ reported: inout Reported) {
        let warning = source.current.warning(at: now())
        if let warning, warning != reported.warning { logger.warning("\(warning)") }
        reported.warning = warning
    }
}

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

    func run() async {
        await cancelWhenGracefulShutdown {
            var isFailing = false
            if let misgiving = source.current.misgiving(at: now()) { logger.warning("\(misgiving)") }
            while !Task.isCancelled {
                // Throws only when the service is shut down or cancelled, which the loop's condition sees.
                try? await clock.sleep(for: Self.interval)
                isFailing = look(isFailing: isFailing)
            }
        }
    }

    /// Reports a failure when it begins and when it is over, not with every look. Returns whether it fails now.
    private func look(isFailing: Bool) -> Bool {
        guard TLSIdentity.stamps(of: files) != source.current.stamps else {
            if isFailing { logger.notice("the former certificate is back in its file") }
            return false
        }
        do {
            let identity = try TLSIdentity(files)
            source.replace(with: identity)
            logger.notice("new connections get the certificate that is in its file now")
            if let misgiving = identity.misgiving(at: now()) { logger.warning("\(misgiving)") }
            return false
        } catch {
            if !isFailing { logger.error("the former certificate stays in use: \(error)") }
            return true
        }
    }
}

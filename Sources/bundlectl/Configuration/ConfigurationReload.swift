import BundleServer
import BundleStore
import Logging
import Synchronization

/// What SIGHUP does to a running `serve`: its file is read again, and what can be changed while it runs is. Thread-safe.
final class ConfigurationReload: Sendable {
    /// The options that can be changed while the server runs: the only list of them. They lead to what
    /// `BundleEndpoint.Configuration` takes from another one, to the updater, and to the log.
    static let options: Set<String> = updateOptions.union([
        "verbose", "quiet", "log-level", "log-format",
        "header", "cors", "cross-origin-isolated",
        "allow-host", "mount", "host", "shared-origin", "public-url",
        "network-rules", "development",
        "check-every", "scrub-every", "idle-after", "page-lifetime",
        "admin-token-file",
    ])

    /// Those for which updates begin again.
    private static let updateOptions: Set = [
        "metered", "on-metered", "activate", "shell-version", "group", "download-deadline", "least-rate", "limit-rate",
    ]

    /// Reads the invocation's file again, and makes of it what the endpoint and the log need.
    typealias Reading = @Sendable (_ needsUpdater: ([Setting]) -> Bool) throws -> Reread

    /// A configuration that was read again, and is valid.
    struct Reread {
        let settings: [Setting]
        let change: BundleEndpoint.Change
        let logging: LoggingOptions
    }

    private let running: Mutex<[Setting]>
    private let log: LogSettings
    private let logger: Logger
    private let read: Reading

    /// - Parameter settings: Those with which the server has started.
    init(_ settings: [Setting], log: LogSettings, logger: Logger, _ read: @escaping Reading) {
        running = Mutex(settings)
        self.log = log
        self.logger = logger
        self.read = read
    }

    /// What the endpoint calls at the signal.
    var atSignal: BundleEndpoint.Reloading {
        { [self] apply in reload(apply) }
    }

    /// Reads the file, applies it, and logs what has changed. An invalid file changes nothing.
    private func reload(_ apply: (BundleEndpoint.Change) -> Void) {
        let known = running.withLock { $0 }
        let reread: Reread
        do {
            reread = try read { settings in
                Self.differences(known, settings).contains { Self.updateOptions.contains($0.option.name) }
            }
        } catch {
            logger.error("the configuration stays as it is: \(UsageProblem.text(error))")
            return
        }
        log.take(reread.logging)
        apply(reread.change)
        let differences = Self.differences(known, reread.settings)
        for setting in differences { logger.notice("\(Self.line(setting))") }
        let count = differences.count { Self.options.contains($0.option.name) }
        logger.notice("the configuration was read again: \(count == 0 ? "no change" : "\(count) changed")")
        running.withLock { $0 = Self.running(known, reread.settings) }
    }

    /// The settings that aren't those with which the server runs, from any source: a flag that is off is as one that isn't
    /// set.
    static func differences(_ running: [Setting], _ settings: [Setting]) -> [Setting] {
        zip(running, settings).filter { $0.text != $1.text }.map(\.1)
    }

    /// The settings with which the server runs afterwards: what can't be changed is as it was.
    static func running(_ known: [Setting], _ settings: [Setting]) -> [Setting] {
        zip(known, settings).map { options.contains($0.option.name) ? $1 : $0 }
    }

    private static func line(_ setting: Setting) -> String {
        options.contains(setting.option.name)
            ? "\(setting.option.key) is \(setting.text) now"
            : "\(setting.option.key) is \(setting.text) at the next start: it can't be changed while the server runs"
    }
}

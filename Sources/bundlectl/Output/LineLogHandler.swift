import BundleStore
import Foundation
import Logging

/// Log messages on standard error, one line each, in a ``LogFormat``.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The level of this logger alone; otherwise that of the settings counts.
    private var ownLevel: Logger.Level?
    private let settings: LogSettings

    init(_ settings: LogSettings) {
        self.settings = settings
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? settings.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Whether a module of this package logs.
    private static func isOwn(_ source: String) -> Bool {
        source.hasPrefix("Bundle") || ["ServerCore", "bundlectl"].contains(source)
    }

    func log(event: LogEvent) {
        // What dependencies log about their internals doesn't help operators, unless it is a warning.
        guard Self.isOwn(event.source) || event.level >= .warning else { return }
        let fields = metadata.merging(event.metadata ?? [:]) { _, latest in latest }
        let line = settings.format.line(at: Date(), event.level, "\(event.message)", fields)
        // If standard error can't be written, nothing else can report that.
        try? StandardStreams.write(line + "\n", to: STDERR_FILENO)
    }
}

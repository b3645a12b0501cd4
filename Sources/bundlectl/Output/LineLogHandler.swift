import BundleStore
import Foundation
import Logging

/// Log messages on standard error, one line each, in a ``LogFormat``.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    private let format: LogFormat

    init(level: Logger.Level, format: LogFormat = .text) {
        self.format = format
        logLevel = level
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
        let line = format.line(at: Date(), event.level, "\(event.message)", fields)
        // If standard error can't be written, nothing else can report that.
        try? StandardStreams.write(line + "\n", to: STDERR_FILENO)
    }
}

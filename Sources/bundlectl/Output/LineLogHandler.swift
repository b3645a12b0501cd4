import BundleStore
import Foundation
import Logging

/// Log messages on standard error, one line each: time, level, text, metadata.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(level: Logger.Level) {
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Whether a module of this package logs.
    private static func isOwn(_ source: String) -> Bool { source.hasPrefix("Bundle") || source == "ServerCore" }

    func log(event: LogEvent) {
        // What dependencies log about their internals doesn't help operators, unless it is a warning.
        guard Self.isOwn(event.source) || event.level >= .warning else { return }
        let fields = metadata.merging(event.metadata ?? [:]) { _, latest in latest }
            .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = Printable.line("\(Timestamp.text(Date())) \(event.level): \(event.message)\(fields)")
        // If standard error can't be written, nothing else can report that.
        try? StandardStreams.write(line + "\n", to: STDERR_FILENO)
    }
}

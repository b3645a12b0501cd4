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

    func log(event: LogEvent) {
        // What the libraries underneath say of their own workings is of no use to who runs the server, unless it is bad.
        guard event.source.hasPrefix("Bundle") || event.level >= .warning else { return }
        let fields = metadata.merging(event.metadata ?? [:]) { _, latest in latest }
            .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = Printable.line("\(Timestamp.text(Date())) \(event.level): \(event.message)\(fields)")
        // When standard error can't be written, there is nowhere left to say so.
        try? StandardStreams.write(line + "\n", to: STDERR_FILENO)
    }
}

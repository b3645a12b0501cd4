import Logging

/// What was logged at a level and above.
package final class RecordedLog: Sendable {
    private let monitor = Monitor<[String]>([])
    private let level: Logger.Level

    package init(level: Logger.Level = .info) {
        self.level = level
    }

    /// `level: message`, in order.
    package var lines: [String] { monitor.state }

    package var logger: Logger {
        Logger(label: "test") { [monitor, level] _ in Handler(monitor: monitor, logLevel: level) }
    }

    /// Waits for the first line with this in it.
    package func line(containing text: String) async throws -> String {
        try await monitor.wait(for: text, deadline: .seconds(30)) { $0.first { $0.contains(text) } }
    }

    /// Waits for one of the messages at this level; the first one has the number 0.
    package func message(_ number: Int, at level: Logger.Level) async throws -> String {
        let prefix = "\(level): "
        return try await monitor.wait(for: "message \(number)", deadline: .seconds(30)) { lines in
            let line = lines.lazy.filter { $0.hasPrefix(prefix) }.dropFirst(number).first
            return line.map { String($0.dropFirst(prefix.count)) }
        }
    }

    private struct Handler: LogHandler {
        let monitor: Monitor<[String]>
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level): \(event.message)"
            monitor.update { $0.append(line) }
        }
    }
}

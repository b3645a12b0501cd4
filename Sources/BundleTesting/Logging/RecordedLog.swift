import Logging

/// What was logged at level `info` and above.
package final class RecordedLog: Sendable {
    private let monitor = Monitor<[String]>([])

    package init() {}

    /// `level: message`, in order.
    package var lines: [String] { monitor.state }

    package var logger: Logger { Logger(label: "test") { [monitor] _ in Handler(monitor: monitor) } }

    /// Waits for the first line with this in it.
    package func line(containing text: String) async throws -> String {
        try await monitor.wait(for: text, deadline: .seconds(30)) { $0.first { $0.contains(text) } }
    }

    private struct Handler: LogHandler {
        let monitor: Monitor<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

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

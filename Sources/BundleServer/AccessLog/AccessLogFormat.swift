import ServerCore

/// The format of the lines of an access log. A value type; safe to share between threads.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The format of this name in Apache httpd and nginx.
    case combined
    /// A JSON object.
    case json

    func append(_ record: AccessRecord, at time: LogTime, to line: inout LogLine) {
        switch self {
        case .combined: CombinedFormat.append(record, at: time, to: &line)
        case .json: JSONFormat.append(record, at: time, to: &line)
        }
    }
}

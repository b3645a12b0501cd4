/// How a line of an access log is written. A value type; safe to share between threads.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The format of that name of Apache httpd and nginx.
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

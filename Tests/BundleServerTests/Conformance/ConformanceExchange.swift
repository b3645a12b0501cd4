import BundleTesting

/// The response to a request, and what was recorded of it.
struct ConformanceExchange: Sendable {
    let response: RawResponse
    /// Nil without a driver.
    var record: ConformanceRecord?
    /// Whether a connection was opened for it.
    var isOnNewConnection = false
    /// By how much metrics have grown since the first one of the row, for the last one; nil for others, and without a
    /// driver.
    var increments: [String: Int]?
}

import HTTPCore
import HTTPTypes

/// What one read brought of a response.
struct ResponseBatch {
    var head: ResponseHead?
    var content: [UInt8] = []
    /// The trailer fields, if this is the end.
    var end: HTTPFields?

    var isEmpty: Bool { head == nil && content.isEmpty && end == nil }
}

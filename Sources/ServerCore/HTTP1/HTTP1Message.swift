import HTTPCore
import NIOCore

/// The first bytes of a response, with its head, and the rest of its body.
struct HTTP1Message {
    var bytes: ByteBuffer
    let rest: BodyChunks?
    let status: Int
    /// How many bytes of the body are in ``bytes``.
    let bodyByteCount: Int
    let source: ResponseSource
    /// Counts the response; nil when responses aren't counted.
    let tally: ResponseTally?
}

import BundleServing
import NIOCore

/// The beginning of a response as it goes out, with its head, and the rest of its body.
struct HTTP1Message {
    var bytes: ByteBuffer
    let rest: BodyChunks?
    let status: Int
    /// How many bytes of the body are among ``bytes``.
    let bodyByteCount: Int
    let source: ResponseSource
}

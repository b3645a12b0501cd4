import HTTPTypes
import OfflineBundles

extension ServedResponse {
    /// How much of a body is passed on in one piece.
    private static let pieceByteCount = 256 << 10

    /// The body as streams to be read one after the other; a short one is in memory at once.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when a bundled file can't be read any more.
    package func bodies() throws -> [BodyStream] {
        switch self {
        case .streaming(_, let body, _): return [body]
        case .switching: return []
        case .complete(let response, _):
            guard response.body.byteCount <= Self.pieceByteCount else {
                return response.body.parts.map { BodyStream($0) }
            }
            let bytes = response.body.array
            guard !response.body.hasFaulted else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
            return [BodyStream(bytes)]
        }
    }

    /// The length of the body, where it is known before it arrives.
    package var bodyByteCount: Int64? {
        switch self {
        case .streaming(let head, _, _): head.headerFields[.contentLength].flatMap { Int64($0) }
        case .complete(let response, _): Int64(response.body.byteCount)
        case .switching: 0
        }
    }
}

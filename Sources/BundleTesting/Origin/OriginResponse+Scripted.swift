import BundleServing
import BundleStore
import HTTPTypes

extension OriginResponse {
    /// A response in memory.
    package init(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], _ text: String) {
        self.init(status, fields, [Array(text.utf8)])
    }

    /// A response whose body arrives in these chunks, and then ends with `failure`, if there is one, as when the
    /// connection breaks.
    package init(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:],
        _ chunks: [[UInt8]] = [],
        failure: (any Error)? = nil
    ) {
        let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: failure)
        }
        self.init(head: HTTPResponse(status: status, headerFields: fields), body: BodyStream(body))
    }

    /// The error of a body whose connection breaks.
    package static let connectionLost = BundleError(.networkUnavailable, "the connection was lost")
}

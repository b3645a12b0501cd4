import BundleServing
import BundleStore
import BundleUsage
import HTTPTypes

/// What a responder without a server counts.
extension UsageRecorder {
    /// Counts a response; the bytes of one that is still arriving as they are read.
    func counting(_ response: ServedResponse) -> ServedResponse {
        let status = response.head.status.code
        record(response.source, status: status, byteCount: response.body.byteCount)
        guard case .streaming(let head, let body, let source) = response else { return response }
        let chunks = body.map { [self] chunk in
            record(laterByteCount: chunk.count, of: source, status: status)
            return chunk
        }
        return .streaming(head, BodyStream(chunks, trailers: { body.trailers }), source)
    }
}

extension ResponseSource {
    /// The source of a response with a bundled file, which may be in a coding.
    func coded(_ response: Response, of resource: Resource) -> ResponseSource {
        guard response.head.status == .ok, !response.body.isEmpty,
            let coding = response.head.headerFields[.contentEncoding]
        else { return self }
        let saving = CodingSaving(
            isDelta: coding == ContentCoding.dictionaryZstandard.token,
            identityByteCount: resource.contents.count,
            codedByteCount: response.body.byteCount
        )
        return ResponseSource(layer, release, saving)
    }
}

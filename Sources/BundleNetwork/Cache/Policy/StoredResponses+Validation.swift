import BundleServing
import Foundation
import HTTPTypes

extension Sequence<StoredResponse> {
    /// The precondition to add to a request that selects none of these responses to its URL: the origin may confirm that
    /// one of them is the right one (RFC 9111 §4.3.1, RFC 9110 §13.1.2). Empty when none has an entity tag.
    ///
    /// The latest come first; those that no longer fit into ``StoredResponse/maximumPreconditionByteCount`` are left out.
    package var preconditions: HTTPFields {
        var (value, tags): ([UInt8], [HTTPField]) = ([], [])
        for stored in sorted(by: { $1.isOlder(than: $0) }) {
            guard let tag = stored.entityTag?.field(.ifNoneMatch), !tags.contains(tag) else { continue }
            let bytes = tag.withUnsafeBytesOfValue { Array($0) }
            guard value.count + bytes.count + 2 <= StoredResponse.maximumPreconditionByteCount else { continue }
            value += (value.isEmpty ? [] : Array(", ".utf8)) + bytes
            tags.append(tag)
        }
        return HTTPFields(value.isEmpty ? [] : [HTTPField(name: .ifNoneMatch, value: value)])
    }

    /// The response that a 304 to a request with these ``preconditions`` confirms: the latest with the 304's entity tag;
    /// without one, the only response there is (RFC 9111 §4.3.4). Nil when it can't be told.
    package func confirmed(by response: HTTPResponse) -> StoredResponse? {
        guard response.status == .notModified else { return nil }
        let candidates = filter { $0.entityTag != nil }
        guard response.headerFields.contains(.eTag) else { return candidates.count == 1 ? candidates.first : nil }
        return candidates.filter { $0.isConfirmed(by: response) }.max { $0.isOlder(than: $1) }
    }
}

extension StoredResponse {
    /// The longest If-None-Match for several responses in bytes: servers refuse requests with fields that are too long.
    package static let maximumPreconditionByteCount = 2_048
}

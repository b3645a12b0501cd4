import BundleStore
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// Reads the files of a feed in a registry: the layers of its tag's manifest, by their titles.
///
/// What belongs together comes from one manifest: the feed, and the metadata that vouch for it. Thread-safe.
package final class OCIReader: PlaceReader {
    /// How long a file may be that is compared with its digest here, in bytes: documents are. Longer ones are compared with what the feed
    /// says of them.
    private static let comparedByteCount: Int64 = 4 << 20

    private let client: OCIClient
    private let kept = Mutex(Kept())

    private struct Kept: Sendable {
        var manifest: OCIClient.ReceivedManifest?
        /// Whether it was asked for with the timestamp, and the feed hasn't been read since: what is signed is read from one manifest.
        var isOfTimestamp = false
    }

    /// - Parameter client: Of the feed's repository and tag.
    package init(_ client: OCIClient) { self.client = client }

    package func reads(_ url: URL) -> Bool { OCIReference.isPlace(url.absoluteString) }

    /// Responds to a GET: with 200, 206, 304, 404, 412 or 416. A part is read from the registry as a part, where it supports that.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the registry can't be reached, doesn't permit it, or
    ///   sends something else, and when the URL is of another repository or tag; `invalidFeed` when the manifest can't be read.
    package func response(for url: URL, fields: HTTPFields) async throws -> OriginResponse {
        guard let title = client.reference.title(of: url) else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) isn't beside the feed of \(client.reference), and isn't read; correct the feed"
            )
        }
        guard let layer = try await manifest(for: title)?.manifest.layer(titled: title) else {
            return OriginResponse(head: HTTPResponse(status: .notFound), body: BodyStream([]))
        }
        return try await response(of: layer, at: url, fields)
    }

    // MARK: - The manifest

    private enum Age {
        /// As old as the reader at most.
        case kept
        /// As old as this request, unless the feed belongs to a timestamp.
        case feed
        case timestamp
        case current
    }

    private static func age(for title: String) -> Age {
        switch title {
        case OCIReference.feedTitle: .feed
        case "timestamp.json": .timestamp
        // The next root, `2.root.json`, may have come since.
        case _ where title.hasSuffix(".root.json"): .current
        default: .kept
        }
    }

    private func manifest(for title: String) async throws -> OCIClient.ReceivedManifest? {
        let age = Self.age(for: title)
        let present = kept.withLock { kept -> OCIClient.ReceivedManifest? in
            defer { if age == .feed { kept.isOfTimestamp = false } }
            return age == .kept || (age == .feed && kept.isOfTimestamp) ? kept.manifest : nil
        }
        if let present { return present }
        let known = kept.withLock { $0.manifest }
        let response = try await client.manifest(named: client.reference.tag, unless: known?.entityTag)
        let manifest: OCIClient.ReceivedManifest? =
            switch response {
            case .found(let manifest): manifest
            case .unchanged: known
            case .absent: nil
            }
        let isOfTimestamp = age == .timestamp && manifest?.manifest.layer(titled: title) != nil
        kept.withLock { $0 = Kept(manifest: manifest, isOfTimestamp: isOfTimestamp) }
        return manifest
    }

    // MARK: - The file

    private func response(of layer: OCIManifest.Layer, at url: URL, _ fields: HTTPFields) async throws -> OriginResponse
    {
        // The same digest is the same bytes for ever: conditions are decided here.
        let tag = EntityTag("\"\(OCIDigest.text(layer.digest))\"")
        let selection = ResponseSelection(
            isHead: false,
            of: fields,
            validators: Validators(entityTag: tag),
            length: Int(clamping: layer.size)
        )
        var head = HTTPResponse(status: .ok)
        head.headerFields[.acceptRanges] = "bytes"
        head.headerFields[.eTag] = tag?.fieldValue
        switch selection {
        case .parts(let parts) where parts.count == 1:
            return try await part(Int64(parts[0].lowerBound)..<Int64(parts[0].upperBound), of: layer, head, at: url)
        case .whole, .parts: return try await whole(layer, head, at: url)
        case .notModified: head.status = .notModified
        case .preconditionFailed: head.status = .preconditionFailed
        case .rangeNotSatisfiable:
            head.status = .rangeNotSatisfiable
            head.headerFields[.contentRange] = "bytes */\(layer.size)"
        }
        return OriginResponse(head: head, body: BodyStream([]))
    }

    private func part(
        _ range: Range<Int64>,
        of layer: OCIManifest.Layer,
        _ head: HTTPResponse,
        at url: URL
    ) async throws -> OriginResponse {
        let response = try await client.blob(layer.digest, range)
        // A registry may ignore a range (distribution-spec, “Pulling blobs”).
        guard response.head.status == .partialContent else { return try self.whole(response, of: layer, head, at: url) }
        guard let sent = response.head.receivedPart, sent.range == range, sent.length ?? layer.size == layer.size else {
            throw refusal(url, "comes in another part than was asked for")
        }
        return OriginResponse(
            head: head.partial(range, of: layer.size),
            body: limited(response.body, to: Int64(range.count), at: url)
        )
    }

    private func whole(_ layer: OCIManifest.Layer, _ head: HTTPResponse, at url: URL) async throws -> OriginResponse {
        let response = try await client.blob(layer.digest)
        guard response.head.status == .ok else { throw refusal(url, "comes in a part that wasn't asked for") }
        guard layer.size <= Self.comparedByteCount else { return try whole(response, of: layer, head, at: url) }
        guard let bytes = try await response.body.bytes(atMost: Int(layer.size)), Digest(of: bytes) == layer.digest
        else {
            throw refusal(url, "has another content than the manifest says")
        }
        return OriginResponse(head: head.whole(layer.size), body: BodyStream(bytes))
    }

    private func whole(
        _ response: OriginResponse,
        of layer: OCIManifest.Layer,
        _ head: HTTPResponse,
        at url: URL
    ) throws(BundleError) -> OriginResponse {
        if let length = response.head.headerFields[.contentLength], Int64(length) != layer.size {
            throw refusal(url, "has another length than the manifest says")
        }
        return OriginResponse(head: head.whole(layer.size), body: limited(response.body, to: layer.size, at: url))
    }

    private func limited(_ body: BodyStream, to byteCount: Int64, at url: URL) -> BodyStream {
        BodyStream(
            LimitedChunks(body: body, byteCount: byteCount, refusal: refusal(url, "is longer than the manifest says"))
        )
    }

    private func refusal(_ url: URL, _ problem: String) -> BundleError {
        BundleError(.networkUnavailable, "\(url.reported) \(problem); check the registry, or publish the feed again")
    }
}

extension HTTPResponse {
    /// The same as the head of all bytes.
    fileprivate func whole(_ byteCount: Int64) -> HTTPResponse {
        var head = self
        head.headerFields[.contentLength] = String(byteCount)
        return head
    }
}

/// The chunks of a body, which end with an error where they are more than they may be.
private struct LimitedChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let body: BodyStream
    let byteCount: Int64
    let refusal: BundleError

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), rest: byteCount, refusal: refusal)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: BodyStream.AsyncIterator
        fileprivate var rest: Int64
        fileprivate let refusal: BundleError

        mutating func next() async throws -> [UInt8]? {
            guard let chunk = try await chunks.next() else { return nil }
            guard Int64(chunk.count) <= rest else { throw refusal }
            rest -= Int64(chunk.count)
            return chunk
        }
    }
}

import BundleModel
import Foundation
import HTTPCore
import HTTPTypes

/// Uploads a file as a blob: a short one at once, a long one in chunks, of which the registry has some after a failure. A value type.
struct OCIUpload {
    /// What is sent at once in bytes, and held in memory.
    static let chunkByteCount: Int64 = 16 << 20
    /// The longest chunk that a registry can ask for in bytes.
    private static let maximumChunkByteCount: Int64 = 64 << 20
    /// How often a blob is begun, or gone on with, after a failure.
    private static let maximumFailureCount = 4

    let client: OCIClient
    let digest: Digest
    let size: Int64
    /// Reads a part of the file.
    let read: @Sendable (Range<Int64>) async throws -> [UInt8]
    /// Called with the bytes that the registry has; fewer than before when it has lost some.
    let progress: @Sendable (Int64) -> Void

    private var what: String { "the blob \(OCIDigest.text(digest))" }

    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the registry can't be reached, doesn't permit it, or has
    ///   received other bytes; what `read` throws.
    func run() async throws {
        var failureCount = 0
        while true {
            do {
                // It may have received all of it, and only its response was lost.
                if try await client.has(digest) { return progress(size) }
                return try await begin(&failureCount)
            } catch let error as BundleError where error.code == .networkUnavailable {
                failureCount += 1
                guard failureCount <= Self.maximumFailureCount, error.mayPass else { throw error }
            }
        }
    }

    /// The whole blob, from its first byte.
    private func begin(_ failureCount: inout Int) async throws {
        progress(0)
        let response = try await client.send(.post, client.path("blobs/uploads/"), content: [])
        guard response.head.status == .accepted else {
            throw await client.refusal(of: response, "the upload of \(what)")
        }
        _ = try await response.body.bytes(atMost: 64 << 10)
        var place = try client.location(of: response.head, at: client.path("blobs/uploads/"))
        // A registry behind a store of objects may need longer chunks (distribution-spec, “Pushing a blob in chunks”).
        let least = response.head.headerFields[HTTPField.Name("OCI-Chunk-Min-Length")!].flatMap { Int64($0) } ?? 0
        let chunk = min(max(Self.chunkByteCount, least), Self.maximumChunkByteCount)
        guard size > chunk else { return try await finish(place, try await read(0..<size)) }
        var sent: Int64 = 0
        while sent < size {
            let part = sent..<min(sent + chunk, size)
            do {
                place = try await send(part, to: place)
                sent = part.upperBound
            } catch let error as BundleError where error.code == .networkUnavailable {
                failureCount += 1
                guard failureCount <= Self.maximumFailureCount, error.mayPass else { throw error }
                // What doesn't know its own state any more begins again.
                guard let (next, present) = try? await state(of: place) else { throw error }
                (place, sent) = (next, present)
            }
            progress(sent)
        }
        try await finish(place, [])
    }

    /// - Returns: Where the next chunk goes.
    private func send(_ part: Range<Int64>, to place: OriginTarget) async throws -> OriginTarget {
        let fields: HTTPFields = [
            .contentType: "application/octet-stream", .contentRange: "\(part.lowerBound)-\(part.upperBound - 1)",
        ]
        let response = try await client.send(.patch, place, fields, content: try await read(part))
        guard [.accepted, .noContent].contains(response.head.status) else {
            throw await client.refusal(of: response, "a part of \(what)")
        }
        _ = try await response.body.bytes(atMost: 64 << 10)
        guard receivedByteCount(response.head) ?? part.upperBound == part.upperBound else {
            throw BundleError(
                .networkUnavailable,
                "\(client.reference) has received another part of \(what) than was sent; try again"
            )
        }
        return try client.location(of: response.head, at: place)
    }

    private func state(of place: OriginTarget) async throws -> (OriginTarget, Int64)? {
        let response = try await client.send(.get, place)
        guard response.head.status == .noContent, let count = receivedByteCount(response.head) else { return nil }
        return (try client.location(of: response.head, at: place), count)
    }

    /// `0-0` is nothing for some registries, and one byte for others: no blob in chunks is that short.
    private func receivedByteCount(_ head: HTTPResponse) -> Int64? {
        guard let field = head.headerFields[.range], field.hasPrefix("0-"), let last = Int64(field.dropFirst(2)),
            last >= 0, last < size
        else { return nil }
        return last == 0 ? 0 : last + 1
    }

    private func finish(_ place: OriginTarget, _ content: [UInt8]) async throws {
        let separator = place.path.contains("?") ? "&" : "?"
        guard let target = OriginTarget("\(place.origin)\(place.path)\(separator)digest=\(OCIDigest.text(digest))")
        else {
            throw BundleError(.networkUnavailable, "\(client.reference) has no URL for \(what); check the registry")
        }
        let response = try await client.send(.put, target, [.contentType: "application/octet-stream"], content: content)
        guard response.head.status == .created else { throw await client.refusal(of: response, what) }
        _ = try await response.body.bytes(atMost: 64 << 10)
        progress(size)
    }
}

extension BundleError {
    /// Whether another attempt may succeed: there was no response, or the server has a problem of its own, or has lost what it had.
    fileprivate var mayPass: Bool {
        guard let response = cause as? UnexpectedResponse else { return true }
        return !response.asksForPause
            && (response.head.status.code >= 500 || [404, 408, 416].contains(response.head.status.code))
    }
}

extension OCIClient {
    /// Uploads a blob, unless the repository has it.
    ///
    /// - Parameters:
    ///   - size: Its length in bytes.
    ///   - read: Reads a part of it; called for a part again after a failure.
    ///   - progress: Called with the bytes that the registry has; fewer than before when it has lost some.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the registry can't be reached, doesn't permit it, or has
    ///   received other bytes; what `read` throws.
    package func upload(
        _ digest: Digest,
        size: Int64,
        reading read: @escaping @Sendable (Range<Int64>) async throws -> [UInt8],
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws {
        try await OCIUpload(client: self, digest: digest, size: size, read: read, progress: progress).run()
    }
}

import BundleStore
import BundleUpdate
import HTTPCore
import HTTPTypes

extension S3Client {
    /// What has to hold for an object to be written.
    enum WriteCondition: Equatable, Sendable {
        /// Nothing.
        case none
        /// There is none of its key.
        case absent
        /// It has this entity tag.
        case tag(String)

        /// The field of a request.
        var fields: HTTPFields {
            switch self {
            case .none: [:]
            case .absent: [.ifNoneMatch: "*"]
            case .tag(let tag): [.ifMatch: tag]
            }
        }
    }

    /// Writes an object.
    ///
    /// - Parameter fields: Its media type, its life in caches, its digest.
    /// - Returns: Whether the condition held; nothing was written otherwise.
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``.
    func put(
        _ key: String,
        _ content: S3Content,
        if condition: WriteCondition,
        fields: HTTPFields = [:]
    ) async throws -> Bool {
        var request = S3Request(.put, key, fields: fields, content: content)
        for field in condition.fields { request.fields[field.name] = field.value }
        do {
            _ = try await document(request)
            return true
        } catch let error as BundleError {
            guard let failure = error.s3Failure, condition != .none else { throw error }
            // S3 responds with 404 to If-Match for an object that isn't there any more.
            if failure.isConflict || failure.code == "NoSuchKey" { return false }
            throw error
        }
    }

    /// Removes an object; one that isn't there is no error.
    ///
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``.
    func delete(_ key: String) async throws {
        do {
            _ = try await document(S3Request(.delete, key))
        } catch let error as BundleError where error.s3Failure?.isAbsence == true {}
    }

    /// Fetches an object, and passes its content on as it arrives.
    ///
    /// - Parameters:
    ///   - tag: The entity tag that it has to have; nil for any.
    ///   - maximumByteCount: The longest content that is taken.
    ///   - take: Gets each chunk.
    /// - Returns: False when it isn't there, or has another tag.
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``; ``/BundleModel/BundleError`` with code `invalidFeed` when it is longer; what
    ///   `take` throws.
    func fetch(
        _ key: String,
        tag: String? = nil,
        atMost maximumByteCount: Int64,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Bool {
        try await withinDeadline(of: key, for: maximumByteCount) {
            var request = S3Request(.get, key)
            request.fields[.ifMatch] = tag
            let response = try await send(request)
            let isThere = response.head.status == .ok
            var (count, refusal): (Int64, [UInt8]) = (0, [])
            for try await chunk in response.body {
                count += Int64(chunk.count)
                if isThere {
                    guard count <= maximumByteCount else { throw tooLong(key, maximumByteCount) }
                    try take(chunk)
                } else {
                    refusal += chunk
                    if refusal.count > 64 << 10 { break }
                }
            }
            guard !isThere else { return true }
            let failure = S3Failure(response.head, body: refusal)
            guard failure.isAbsence || failure.isConflict else { throw self.failure(failure, at: key) }
            return false
        }
    }

    private func tooLong(_ key: String, _ limit: Int64) -> BundleError {
        BundleError(
            .invalidFeed,
            "\(name(of: key)) has over \(ByteCount.text(limit)), the most that is taken; remove it"
        )
    }
}

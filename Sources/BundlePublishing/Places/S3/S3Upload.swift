import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes

import enum Crypto.Insecure

/// Sends a long file in parts, and goes on where an attempt was interrupted (S3, “Multipart upload”). Safe to share between threads.
struct S3Upload: Sendable {
    /// From this length in bytes on a file is sent in parts.
    static let leastByteCount: Int64 = 64 << 20
    /// How often it is begun again, when another publisher has sent the same at the same time.
    private static let maximumAttemptCount = 3
    /// How often a part is sent whose connection breaks.
    private static let maximumPartAttemptCount = 3
    /// How many unfinished uploads of a key are looked at.
    private static let maximumCandidateCount = 10

    let client: S3Client
    let key: String
    let file: LocalFile
    let digest: Digest
    /// Of the object.
    let fields: HTTPFields
    /// Whether the store is asked to keep an object that is there.
    let isCreateOnly: Bool
    /// The length of a part in bytes; S3 demands 5 MiB of all but the last.
    var partByteCount: Int64 = 16 << 20
    /// Called with the bytes of the file that have been sent.
    let progress: @Sendable (Int64) -> Void

    /// An upload, and the entity tags of the parts that the store has.
    private struct Unfinished {
        let identifier: String
        var tags: [Int: String] = [:]
    }

    /// Sends what is missing, and completes it.
    ///
    /// - Returns: False when there is an object of that key.
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``, and ``LocalFile/read(_:)``; the parts that were sent stay for the next attempt.
    func run() async throws -> Bool {
        for attempt in 1... {
            let begun = try await unfinished()
            var upload = if let begun { begun } else { try await begin() }
            do {
                try await sendParts(&upload)
                guard try await complete(upload) else { return false }
            } catch let error as BundleError {
                // S3 advises to begin again after a race; an upload that is gone was completed by another publisher.
                guard attempt < Self.maximumAttemptCount, let failure = error.s3Failure,
                    failure.isRace || failure.code == "NoSuchUpload"
                else { throw error }
                await abort(upload)
                continue
            }
            // What it was begun with is the object's, and may have been another file's that begins like this one.
            guard begun != nil, try await client.describe(key)?.digest != digest else { return true }
            try await client.delete(key)
        }
        return false
    }

    private var partCount: Int { Int((file.byteCount + partByteCount - 1) / partByteCount) }

    private func range(_ number: Int) -> Range<Int64> {
        let start = Int64(number - 1) * partByteCount
        return start..<min(start + partByteCount, file.byteCount)
    }

    private func begin() async throws -> Unfinished {
        let (_, bytes) = try await client.document(S3Request(.post, key, query: ["uploads": ""], fields: fields))
        let result = try? S3XML.records("InitiateMultipartUploadResult", in: bytes).first
        guard let identifier = result?["UploadId"], !identifier.isEmpty else { throw client.malformed(key) }
        return Unfinished(identifier: identifier)
    }

    /// An upload of this key whose parts are all the file's; nil when there is none, or the store doesn't tell.
    private func unfinished() async throws -> Unfinished? {
        guard let uploads = try await records("Upload", S3Request(.get, nil, query: ["uploads": "", "prefix": key]))
        else { return nil }
        for upload in uploads.filter({ $0["Key"] == key }).prefix(Self.maximumCandidateCount) {
            guard let identifier = upload["UploadId"],
                let parts = try await records("Part", S3Request(.get, key, query: ["uploadId": identifier])),
                let tags = try await tags(of: parts)
            else { continue }
            return Unfinished(identifier: identifier, tags: tags)
        }
        return nil
    }

    private func records(_ name: String, _ request: S3Request) async throws -> [[String: String]]? {
        do {
            let (_, bytes) = try await client.document(request)
            return try? S3XML.records(name, in: bytes)
        } catch let error as BundleError where error.s3Failure != nil {
            // It may be that only this isn't permitted: then everything is sent.
            return nil
        }
    }

    /// The tags of parts by their numbers; nil unless all are those of the file's parts, and there is one.
    private func tags(of parts: [[String: String]]) async throws -> [Int: String]? {
        var tags: [Int: String] = [:]
        guard parts.count <= partCount else { return nil }
        for part in parts {
            guard let number = part["PartNumber"].flatMap(Int.init), (1...partCount).contains(number),
                tags[number] == nil, let tag = part["ETag"],
                part["Size"].flatMap(Int64.init) == Int64(range(number).count)
            else { return nil }
            // Other ways of encryption have other tags: then the part is sent again.
            let bytes = try await read(number)
            let sum = Hexadecimal.string(of: Insecure.MD5.hash(data: bytes))
            guard tag.trimmingCharacters(in: ["\""]).lowercased() == sum else { return nil }
            tags[number] = tag
        }
        return tags.isEmpty ? nil : tags
    }

    private func read(_ number: Int) async throws -> [UInt8] {
        try await withTaskExecutorPreference(BlockingExecutor()) { try file.read(range(number)) }
    }

    private func sendParts(_ upload: inout Unfinished) async throws {
        for number in 1...max(partCount, 1) {
            if upload.tags[number] == nil {
                let content = S3Content(try await read(number))
                let query = ["partNumber": String(number), "uploadId": upload.identifier]
                upload.tags[number] = try await sendPart(S3Request(.put, key, query: query, content: content))
            }
            progress(range(number).upperBound)
        }
    }

    /// - Returns: The part's tag.
    private func sendPart(_ request: S3Request) async throws -> String {
        for attempt in 1... {
            do {
                let (head, _) = try await client.document(request)
                guard let tag = head.headerFields[.eTag] else { throw client.malformed(key) }
                return tag
            } catch let error as BundleError where error.code == .networkUnavailable && error.s3Failure == nil {
                guard attempt < Self.maximumPartAttemptCount else { throw error }
                try await client.pause(.seconds(1 << (attempt - 1)))
            }
        }
        throw CancellationError()
    }

    /// - Returns: False when there is an object of that key.
    private func complete(_ upload: Unfinished) async throws -> Bool {
        let parts = upload.tags.sorted { $0.key < $1.key }.map { number, tag in
            "<Part><PartNumber>\(number)</PartNumber><ETag>\(S3XML.escaped(tag))</ETag></Part>"
        }
        let list =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())"
            + "</CompleteMultipartUpload>"
        let request = S3Request(
            .post,
            key,
            query: ["uploadId": upload.identifier],
            fields: isCreateOnly ? S3Client.WriteCondition.absent.fields : [:],
            content: S3Content(Array(list.utf8))
        )
        do {
            let (head, bytes) = try await client.document(request)
            // What goes wrong after the head was sent is in the body of the 200 (S3, “CompleteMultipartUpload”).
            let failure = S3Failure(head, body: bytes)
            if failure.code != nil { throw client.failure(failure, at: key) }
            return true
        } catch let error as BundleError where error.s3Failure?.isConflict == true {
            await abort(upload)
            return false
        }
    }

    /// The store charges for parts until it is asked to drop them. What can't be dropped now is found by the bucket's owner.
    private func abort(_ upload: Unfinished) async {
        _ = try? await client.document(S3Request(.delete, key, query: ["uploadId": upload.identifier]))
    }
}

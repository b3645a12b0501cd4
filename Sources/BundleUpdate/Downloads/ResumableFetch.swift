import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Fetches a file, going on where an earlier attempt has stopped.
struct ResumableFetch: Sendable {
    /// How often a broken transfer is resumed at once, as long as each attempt brings something.
    private static let maximumResumptionCount = 4
    /// How often it is checked that a file of unknown length may grow on.
    private static let checkByteCount: Int64 = 16 << 20

    private(set) var document: OriginDocument
    private(set) var source: URL
    /// The digest that the file should have.
    let digest: Digest
    /// The file's length in bytes; nil when only its server knows it.
    let size: Int64?
    /// What to do about a response that isn't the file.
    let advice: String
    /// Counts the bytes that arrive.
    let received: ByteCounter
    /// Throws when a file of so many bytes isn't wanted. Called with the length that the server names before anything of the
    /// body is kept; where it names none, and where it sends more than that, with what there is so far.
    let admit: @Sendable (Int64) throws -> Void
    /// Called with the bytes of the file that are there, once its length is known.
    let progress: @Sendable (ByteProgress) -> Void

    /// Appends what the file lacks. Writes it from the start, once, when what an earlier attempt has left is of another file.
    ///
    /// - Returns: The digest of what is there now, right or wrong.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection fails, or when the response
    ///   isn't the file, and what `admit` throws. What was received stays in the file.
    func run(into download: DownloadFile) async throws -> Digest {
        if let size, try download.byteCount() > size { try download.truncate() }
        if size == nil, try download.byteCount() > 0, try download.digest() == digest { return digest }
        if try await completeFromCache(download) { return digest }
        let isBegun = try download.byteCount() > 0
        try await complete(download)
        let received = try download.digest()
        guard isBegun, received != digest else { return received }
        // Without a validator a server can't say so: it may have sent the login page of a network at first.
        try download.truncate()
        try await complete(download)
        return try download.digest()
    }

    /// Whether the site's cache has sent what the file lacks. Whatever it does wrong, the origin is asked then; what it has sent
    /// may be a beginning.
    private func completeFromCache(_ download: DownloadFile) async throws -> Bool {
        guard let (document, url) = document.fromCache(source) else { return false }
        let isBegun = try download.byteCount() > 0
        var fetch = self
        (fetch.document, fetch.source) = (document, url)
        do {
            try await fetch.complete(download)
        } catch let error as BundleError where error.code != .storeUnavailable {
            return false
        }
        if try download.digest() == digest { return true }
        try download.truncate()
        // What an earlier attempt has left may have been wrong.
        if !isBegun { document.leaveCache() }
        return false
    }

    private func complete(_ download: DownloadFile) async throws {
        for attempt in 0... {
            let present = try download.byteCount()
            guard present != size else { return }
            do {
                return try await fetch(into: download, from: present)
            } catch let error as BundleError where error.code == .networkUnavailable {
                // A server that is too slow is left alone for now.
                guard !(error.cause is TransferPace.Slowness) else { throw error }
                let now = try download.byteCount()
                let hasChanged = now > present || (now == 0 && present > 0)
                guard attempt < Self.maximumResumptionCount, hasChanged else { throw error }
            }
        }
    }

    private func fetch(into download: DownloadFile, from start: Int64) async throws {
        try await document.transfer(source, fields: fields(download, from: start)) { response, url in
            if let length = Self.wholeLength(of: response.head) { try admit(length) }
            try prepare(download, for: response.head, from: url, at: start)
            try await save(response, from: url, into: download)
        }
    }

    /// A range only of what was begun: a file that has changed since then comes whole (RFC 9110 §13.1.5).
    func fields(_ download: DownloadFile, from start: Int64) -> HTTPFields {
        guard start > 0 else { return [:] }
        var fields: HTTPFields = [.range: "bytes=\(start)-"]
        fields[.ifRange] = download.validator
        return fields
    }

    /// Leaves in the file what the response's body continues.
    private func prepare(_ download: DownloadFile, for head: HTTPResponse, from url: URL, at start: Int64) throws {
        switch head.status.code {
        case 206 where head.receivedPart?.range.lowerBound == start: break
        case 200: try download.truncate()
        case 206, 416:
            // What is there isn't of the server's file.
            try download.truncate()
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) couldn't be resumed at byte \(start); try again",
                cause: UnexpectedResponse(head: head)
            )
        default: throw UnexpectedResponse(head: head).error(at: url, advice: advice)
        }
        try download.setValidator(Self.validator(of: head))
    }

    private func save(_ response: OriginResponse, from url: URL, into download: DownloadFile) async throws {
        let length = size ?? Self.wholeLength(of: response.head)
        var position = try download.byteCount()
        var checked = position
        for try await chunk in response.body {
            received.add(chunk.count)
            position += Int64(chunk.count)
            if position > length ?? (checked + Self.checkByteCount) {
                try admit(position)
                checked = position
            }
            try download.append(chunk)
            if let length { progress(ByteProgress(done: position, total: length)) }
        }
        guard position >= length ?? 0 else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) ended after \(position) of \(length ?? 0) bytes; try again, the rest will be fetched"
            )
        }
    }

    /// The strong entity tag (RFC 9110 §8.8.3), as the server sent it.
    private static func validator(of head: HTTPResponse) -> String? {
        let tag = head.headerFields[fields: .eTag].first.flatMap { EntityTag($0) }
        return tag?.isWeak == false ? head.headerFields[.eTag] : nil
    }

    /// The length of the whole file in bytes, nil when the response doesn't give it.
    private static func wholeLength(of head: HTTPResponse) -> Int64? {
        switch head.status.code {
        case 200: head.headerFields[.contentLength].flatMap { Int64($0) }
        case 206: head.receivedPart?.length
        case 416: head.headerFields[.contentRange].flatMap { $0.split(separator: "/").last }.flatMap { Int64($0) }
        default: nil
        }
    }
}

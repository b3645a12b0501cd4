import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundlePublishing

@Suite("Sending a long file to a bucket")
struct S3UploadTests {
    private static let text = "one two three four"

    /// That of the first part.
    private static let tag = S3Bucket.Object(Array("one ".utf8)).tag

    private let bucket = S3Bucket()
    private let files: PublishedFiles

    init() throws { files = try PublishedFiles() }

    /// An upload in parts of four bytes.
    private func upload(_ text: String = Self.text, progress: @escaping @Sendable (Int64) -> Void = { _ in }) throws
        -> S3Upload
    {
        let file = try files.file("x", text)
        return S3Upload(
            client: try bucket.client(),
            key: "a/x",
            file: try LocalFile(file),
            digest: file.digest,
            fields: [.contentType: "application/zip", .amzMetaSHA256: file.digest.hex],
            isCreateOnly: true,
            partByteCount: 4,
            progress: progress
        )
    }

    private var sentPartCount: Int { bucket.log.count { $0.hasPrefix("PUT") } }
    private var uploadCount: Int { bucket.state.withLock { $0.uploads.count } }

    /// Sends the first two parts, and breaks off.
    private func interrupt(_ text: String = Self.text) async throws {
        let failed = try upload(text)
        bucket.intercepting { [bucket] line, _ in
            if bucket.log.count(where: { $0.hasPrefix("PUT") }) > 2 { throw CancellationError() }
            return nil
        }
        await #expect(throws: CancellationError.self) { try await failed.run() }
        bucket.intercepting { _, _ in nil }
        bucket.state.withLock { $0.log = [] }
    }

    @Test func `makes one object of its parts, with the fields of the file`() async throws {
        let progress = Monitor<[Int64]>([])
        #expect(try await upload { sent in progress.update { $0.append(sent) } }.run())
        #expect(bucket.texts == ["a/x": Self.text] && bucket["a/x"]?.partCount == 5 && uploadCount == 0)
        #expect(bucket["a/x"]?.fields[.contentType] == "application/zip")
        #expect(progress.state == [4, 8, 12, 16, 18])
    }

    @Test func `goes on where it was interrupted`() async throws {
        try await interrupt()
        #expect(try await upload().run())
        #expect(sentPartCount == 3 && bucket.texts == ["a/x": Self.text] && uploadCount == 0)
    }

    @Test(
        "leaves neither the bytes nor the digest of another file, not even of one that begins alike",
        arguments: [
            "two two three four", "one 2 three four", "one two three five", "one two three four five", "one two th",
        ]
    )
    func otherFile(_ other: String) async throws {
        try await interrupt(other)
        #expect(try await upload().run())
        #expect(bucket.texts == ["a/x": Self.text])
        #expect(bucket["a/x"]?.fields[.amzMetaSHA256] == Digest(of: Array(Self.text.utf8)).hex)
    }

    @Test func `sends all of it where the store doesn't tell of earlier attempts`() async throws {
        try await interrupt()
        bucket.intercepting { line, _ in
            line.contains("uploads") && line.hasPrefix("GET") ? S3Bucket.refusal(403, "AccessDenied") : nil
        }
        #expect(try await upload().run())
        #expect(sentPartCount == 5 && bucket.texts == ["a/x": Self.text])
    }

    @Test(
        "doesn't go on from parts that can't be the file's",
        arguments: [
            "<Part><PartNumber>0</PartNumber><Size>4</Size><ETag>1</ETag></Part>",
            "<Part><PartNumber>6</PartNumber><Size>4</Size><ETag>1</ETag></Part>",
            "<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>1</ETag></Part>",
            "<Part><PartNumber>1</PartNumber><Size>4</Size></Part>", "<Part></Part>",
            // The first one, twice, and more often than there are parts.
            String(repeating: "<Part><PartNumber>1</PartNumber><Size>4</Size><ETag>\(tag)</ETag></Part>", count: 2),
            String(repeating: "<Part><PartNumber>1</PartNumber><Size>4</Size><ETag>\(tag)</ETag></Part>", count: 6),
        ]
    )
    func badParts(_ parts: String) async throws {
        try await interrupt()
        bucket.intercepting { line, _ in
            line == "GET a/x uploadId" ? OriginResponse(.ok, [:], "<ListPartsResult>\(parts)</ListPartsResult>") : nil
        }
        #expect(try await upload().run())
        #expect(sentPartCount == 5 && bucket.texts == ["a/x": Self.text])
    }

    @Test func `keeps an object that is there, and drops what was sent`() async throws {
        bucket["a/x"] = S3Bucket.Object([1])
        #expect(try await !upload().run())
        #expect(bucket["a/x"] == S3Bucket.Object([1]) && uploadCount == 0)
    }

    @Test func `sends a part again whose connection breaks`() async throws {
        bucket.intercepting { [bucket] line, _ in
            if line.hasPrefix("PUT"), bucket.log.count(where: { $0.hasPrefix("PUT") }) == 2 {
                throw OriginResponse.connectionLost
            }
            return nil
        }
        #expect(try await upload().run())
        #expect(sentPartCount == 6 && bucket.texts == ["a/x": Self.text])
    }

    @Test(
        "begins again after a race, and when another publisher has completed it",
        arguments: [(409, "ConditionalRequestConflict", 5), (404, "NoSuchUpload", 1)]
    )
    func race(_ status: Int, _ code: String, _ count: Int) async throws {
        let completions = Monitor(0)
        bucket.intercepting { line, _ in
            guard line == "POST a/x uploadId",
                completions.update({
                    $0 += 1; return $0
                }) <= count
            else { return nil }
            return S3Bucket.refusal(status, code)
        }
        #expect(try await upload().run())
        #expect(bucket.texts == ["a/x": Self.text] && uploadCount == 0)
    }

    @Test func `finds an error in the body of a success`() async throws {
        bucket.intercepting { line, _ in
            line == "POST a/x uploadId" ? S3Bucket.refusal(200, "InvalidPart") : nil
        }
        let error = await #expect(throws: BundleError.self) { try await upload().run() }
        #expect(error?.s3Failure?.code == "InvalidPart" && bucket.texts == [:])
    }

    @Test func `refuses a file that isn't what it was`() async throws {
        let path = try files.file("x", "12").path
        for size in [1, 3] as [Int64] {
            let error = #expect(throws: BundleError.self) {
                try LocalFile(PlaceChange.File(name: "x", path: path, size: size, digest: Digest(of: [])))
            }
            #expect(error?.code == .inputUnavailable)
        }
    }
}

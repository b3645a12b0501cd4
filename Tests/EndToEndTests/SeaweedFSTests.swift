import BundlePublishing
import BundleStore
import BundleTesting
import BundleTransport
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

/// Places in a bucket of a real store.
@Suite("On SeaweedFS", .enabled(if: SeaweedFS.isInstalled, "\(SeaweedFS.advice)"), .timeLimit(.minutes(10)))
struct SeaweedFSTests {
    @Test func `publishers and readers at once lose no change, and see none that isn't whole`() async throws {
        try await withBucket { bucket, directory in
            let (feeds, isOver) = (Monitor<[String]>([]), Monitor(false))
            try await bucket.publish([("0.zip", "0")], feed: "0", from: directory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask { try await bucket.add(number, from: directory) }
                }
                group.addTask {
                    let reader = try bucket.reader()
                    for count in 1... {
                        if count > 1_000, isOver.state { break }
                        let feed = try await bucket.text("feed.json", by: reader)
                        let last = feed.split(separator: " ").last.map(String.init) ?? ""
                        feeds.update { $0.append(feed) }
                        let archive = try await bucket.text("\(last).zip", by: reader)
                        #expect(archive == last)
                    }
                }
                for _ in 1...8 { try await group.next() }
                isOver.update { $0 = true }
                try await group.waitForAll()
            }
            let feed = try await bucket.text("feed.json", by: bucket.reader())
            #expect(feed.split(separator: " ").compactMap { Int($0) }.sorted() == Array(0...8))
            // A later feed goes on where the one before it ended.
            let seen = feeds.state
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.hasPrefix($0) })
        }
    }

    @Test func `a file of over 64 MB goes on where the connection broke`() async throws {
        try await withBucket { bucket, directory in
            let path = directory.path(of: "large.zip")
            let block = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try directory.write([], to: "large.zip")
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            for number in 0..<70 { try handle.write(contentsOf: block.map { $0 &+ UInt8(number) }) }
            try handle.close()
            var change = PlaceChange()
            change.added = [
                PlaceChange.File(name: "large.zip", path: path, size: 70 << 20, digest: try Digest(ofFile: path))
            ]
            let place = try bucket.place()
            bucket.transport.cut(after: 3) { $0.method == .put && $0.path?.contains("partNumber") == true }
            await #expect(throws: BundleError.self) {
                try await place.apply(change, to: try await place.contents()) { _ in }
            }
            bucket.transport.cut(after: .max) { _ in false }
            let before = bucket.transport.sentPartCount
            try await place.apply(change, to: try await place.contents()) { _ in }
            #expect(bucket.transport.sentPartCount - before == 2)
            let copy = directory.path(of: "copy.zip")
            try await place.download("large.zip", of: try await place.contents(), to: copy, atMost: 70 << 20)
            #expect(try Digest(ofFile: copy) == change.added[0].digest)
        }
    }

    @Test func `files are read by range and condition, with their types and lives`() async throws {
        try await withBucket { bucket, directory in
            try await bucket.publish([("shop.zip", "archive")], feed: "one", from: directory)
            let (reader, archive) = (try bucket.reader(), bucket.url("shop.zip"))
            let whole = try await reader.response(for: archive, fields: [:])
            let tag = try #require(whole.head.headerFields[.eTag])
            #expect(whole.head.headerFields[.contentType] == "application/zip")
            #expect(whole.head.headerFields[.cacheControl] == "public, max-age=31536000, immutable")
            let feed = try await reader.response(for: bucket.url("feed.json"), fields: [:])
            #expect(feed.head.headerFields[.cacheControl] == "max-age=60")
            #expect(feed.head.headerFields[.contentType] == "application/json")
            for (fields, status, text) in [
                ([.range: "bytes=2-4"], 206, "chi"), ([.range: "bytes=2-", .ifRange: tag], 206, "chive"),
                ([.range: "bytes=2-", .ifRange: "\"other\""], 200, "archive"), ([.ifNoneMatch: tag], 304, ""),
            ] as [(HTTPFields, Int, String)] {
                let response = try await reader.response(for: archive, fields: fields)
                #expect(response.head.status.code == status)
                #expect(try await response.body.text() == text)
            }
            #expect(
                try await reader.response(for: archive, fields: [.range: "bytes=9-"]).head.status
                    == .rangeNotSatisfiable
            )
            #expect(try await reader.response(for: bucket.url("2.root.json"), fields: [:]).head.status == .notFound)
        }
    }

    @Test func `a publisher hears what is wrong`() async throws {
        try await withBucket { bucket, _ in
            for (client, code, remedy) in [
                (
                    try bucket.client(["AWS_SECRET_ACCESS_KEY": "wrong"]), "SignatureDoesNotMatch",
                    .giveBucketCredentials
                ),
                (try bucket.client(["AWS_ACCESS_KEY_ID": "NOBODY"]), "InvalidAccessKeyId", .giveBucketCredentials),
                (try bucket.client { Date(timeIntervalSinceNow: -7_200) }, "RequestTimeTooSkewed", nil),
                (try bucket.client(at: "s3://absent/feeds"), "NoSuchBucket", nil),
            ] as [(S3Client, String, Remedy?)] {
                let place = S3PublishingPlace(client) { _ in }
                let error = await #expect(throws: BundleError.self) { try await place.contents() }
                #expect(error?.message.contains(code) == true && error?.remedy == remedy, "\(error?.message ?? "")")
            }
        }
    }

    @Test func `a bucket that is public is read without a key, and not written to`() async throws {
        try await withBucket("public") { bucket, directory in
            try await bucket.publish([], feed: "open", from: directory)
            let anonymous = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]
            #expect(try await bucket.text("feed.json", by: bucket.reader(anonymous)) == "open")
            let absent = try await bucket.reader(anonymous).response(for: bucket.url("2.root.json"), fields: [:])
            #expect(absent.head.status == .notFound)
            let place = S3PublishingPlace(try bucket.client(anonymous)) { _ in }
            let error = await #expect(throws: BundleError.self) { try await place.contents() }
            #expect(error?.remedy == .giveBucketCredentials)
        }
    }

    private func withBucket(
        _ name: String = "shop",
        _ body: (Bucket, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await SeaweedFS.run { server in
                let bucket = Bucket(server: server, name: name)
                // Its parts come up one after the other.
                try await eventually("a bucket", every: .milliseconds(100)) {
                    (try? await bucket.client().document(S3Request(.put, nil))) != nil
                }
                try await body(bucket, directory)
                await bucket.transport.shutdown()
            }
        }
    }
}

/// A place in a bucket, and a network that a test may cut.
private struct Bucket: Sendable {
    let server: SeaweedFS
    let name: String
    let transport = CuttableTransport()

    func client(
        _ environment: [String: String] = [:],
        at location: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> S3Client {
        let configuration = try S3Configuration(environment: server.environment.merging(environment) { $1 })
        let location = try S3Location(location ?? "s3://\(name)/feeds%20of%20a")
        return S3Client(location, configuration: configuration, transport: transport, now: now)
    }

    func place() throws -> S3PublishingPlace {
        S3PublishingPlace(try client(), memory: S3ProbeMemory()) { Issue.record("\($0)") }
    }

    func reader(_ environment: [String: String] = [:]) throws -> S3Reader { S3Reader(try client(environment)) }

    func url(_ file: String) -> URL { URL(string: "s3://\(name)/feeds%20of%20a/\(file)")! }

    func text(_ file: String, by reader: S3Reader) async throws -> String {
        try await reader.response(for: url(file), fields: [:]).body.text()
    }

    private func change(_ files: [(String, String)], feed: String, from directory: TemporaryDirectory) throws
        -> PlaceChange
    {
        func file(_ name: String, _ text: String) throws -> PlaceChange.File {
            let path = try directory.write(text, to: "\(UUID().uuidString)/\(name)")
            return PlaceChange.File(
                name: name,
                path: path,
                size: Int64(text.utf8.count),
                digest: Digest(of: Array(text.utf8))
            )
        }
        var change = PlaceChange()
        change.added = try files.map(file)
        change.replaced = [try file("feed.json", feed)]
        return change
    }

    func publish(_ files: [(String, String)], feed: String, from directory: TemporaryDirectory) async throws {
        let place = try place()
        let change = try change(files, feed: feed, from: directory)
        try await place.apply(change, to: try await place.contents()) { _ in }
    }

    /// Publishes a number behind those of the feed, however often others are faster.
    func add(_ number: Int, from directory: TemporaryDirectory) async throws {
        let place = try place()
        while true {
            do {
                let contents = try await place.contents()
                let path = directory.path(of: "feed-\(number)")
                try await place.download("feed.json", of: contents, to: path, atMost: 1_000)
                let feed = try String(contentsOfFile: path, encoding: .utf8) + " \(number)"
                let change = try change([("\(number).zip", "\(number)")], feed: feed, from: directory)
                return try await place.apply(change, to: contents) { _ in }
            } catch is PlaceConflict {}
        }
    }
}

/// A network that refuses some requests when a test wants that. Thread-safe.
private final class CuttableTransport: OriginTransport {
    private struct State {
        var limit = Int.max
        var isMeant: @Sendable (HTTPRequest) -> Bool = { _ in false }
        var sentPartCount = 0
    }

    private let network = NIOTransport()
    private let state = Mutex(State())

    /// How many parts of long files have been sent.
    var sentPartCount: Int { state.withLock { $0.sentPartCount } }

    /// Refuses the requests that are meant, after so many.
    func cut(after count: Int, _ isMeant: @escaping @Sendable (HTTPRequest) -> Bool) {
        state.withLock { ($0.limit, $0.isMeant) = (count, isMeant) }
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let isCut = state.withLock { state in
            if state.isMeant(call.request) { state.limit -= 1 }
            if state.limit < 0 { return true }
            if call.request.path?.contains("partNumber") == true { state.sentPartCount += 1 }
            return false
        }
        if isCut { throw OriginResponse.connectionLost }
        return try await network.send(call)
    }

    func shutdown() async { await network.shutdown() }
}

extension BodyStream {
    fileprivate func text() async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in self { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }
}

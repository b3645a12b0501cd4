import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundlePublishing

/// A publisher of texts to `s3://shop/a`.
struct S3Publisher {
    let bucket: S3Bucket
    let place: S3PublishingPlace
    let files: PublishedFiles
    let warned = Monitor<[Notice]>([])

    init(
        _ bucket: S3Bucket,
        permitsUnsafeConcurrency: Bool = false,
        memory: S3ProbeMemory = S3ProbeMemory(),
        clock: TestClock = TestClock(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) throws {
        self.bucket = bucket
        files = try PublishedFiles()
        place = S3PublishingPlace(
            try bucket.client(pause: pause),
            permitsUnsafeConcurrency: permitsUnsafeConcurrency,
            memory: memory,
            now: clock.read
        ) { [warned] notice in warned.update { $0.append(notice) } }
    }

    func change(
        adding added: [(String, String)] = [],
        replacing replaced: [(String, String)] = [],
        removing removed: [String] = []
    ) throws -> PlaceChange {
        var change = PlaceChange()
        change.added = try added.map(files.file)
        change.replaced = try replaced.map(files.file)
        change.removed = removed
        return change
    }

    /// Applies a change to what is there now.
    func apply(_ change: PlaceChange) async throws {
        try await place.apply(change, to: try await place.contents()) { _ in }
    }
}

@Suite("Publishing to a place in a bucket")
struct S3PublishingPlaceTests {
    @Test func `has the files below the prefix, without those in folders and its own`() async throws {
        let bucket = S3Bucket()
        for key in [
            "a/feed.json", "a/shop.zip", "a/.offline-bundles-probe-1", "a/feed.lock.json", "a/sub/x", "ab", "a/",
        ] {
            bucket[key] = S3Bucket.Object(Array(key.utf8))
        }
        let files = try await S3Publisher(bucket).place.contents().files
        #expect(files.keys.sorted() == ["feed.json", "shop.zip"])
        #expect(files["feed.json"]?.size == 11 && files["feed.json"]?.revision == bucket["a/feed.json"]?.tag)
    }

    @Test func `adds first, replaces in the given order, and removes last`() async throws {
        let bucket = S3Bucket()
        bucket["a/old.zip"] = S3Bucket.Object([1])
        bucket["a/feed.json"] = S3Bucket.Object([2])
        let publisher = try S3Publisher(bucket)
        let progress = Monitor<[ByteProgress]>([])
        let change = try publisher.change(
            adding: [("shop.zip", "archive"), ("1.root.json", "root")],
            replacing: [("feed.json", "feed"), ("timestamp.json", "time")],
            removing: ["old.zip"]
        )
        try await publisher.place.apply(change, to: try await publisher.place.contents()) { step in
            progress.update { $0.append(step) }
        }
        #expect(
            bucket.log.filter { !$0.contains("probe") && !$0.hasPrefix("GET") } == [
                "PUT a/shop.zip", "PUT a/1.root.json", "PUT a/feed.json", "PUT a/timestamp.json", "DELETE a/old.zip",
            ]
        )
        #expect(
            bucket.texts == [
                "a/shop.zip": "archive", "a/1.root.json": "root", "a/feed.json": "feed", "a/timestamp.json": "time",
            ]
        )
        #expect(progress.state.last == ByteProgress(done: 19, total: 19))
        #expect(progress.state.map(\.done) == progress.state.map(\.done).sorted() && publisher.warned.state == [])
    }

    @Test(
        "says what files are, and for how long they may be kept",
        arguments: [
            ("shop-1.0.0.zip", "application/zip", true), ("shop-1.0.0.tar.gz", "application/gzip", true),
            ("3.targets.json", "application/json", true), ("shop-1.0.0.contents.json.zst", "application/zstd", true),
            ("shop-1.0.0-1.1.0.patch", "application/octet-stream", true), ("feed.json", "application/json", false),
            ("timestamp.json", "application/json", false),
        ]
    )
    func fields(_ name: String, _ type: String, _ isConstant: Bool) async throws {
        let publisher = try S3Publisher(S3Bucket())
        let file = (name, "text")
        try await publisher.apply(
            publisher.change(adding: isConstant ? [file] : [], replacing: isConstant ? [] : [file])
        )
        let fields = try #require(publisher.bucket["a/\(name)"]).fields
        #expect(fields[.contentType] == type && fields[.amzMetaSHA256] == Digest(of: Array("text".utf8)).hex)
        #expect(fields[.cacheControl] == (isConstant ? "public, max-age=31536000, immutable" : "max-age=60"))
        #expect(fields[.ifNoneMatch] == "*")
    }

    @Test func `doesn't send what an interrupted attempt has sent`() async throws {
        let publisher = try S3Publisher(S3Bucket())
        let change = try publisher.change(adding: [("shop.zip", "archive")], replacing: [("feed.json", "1")])
        try await publisher.apply(change)
        let count = publisher.bucket.log.count { $0 == "PUT a/shop.zip" }
        try await publisher.apply(change)
        #expect(count == 1 && publisher.bucket.log.count { $0 == "PUT a/shop.zip" } == 1)
    }

    @Test func `compares the bytes of what another program has copied`() async throws {
        let bucket = S3Bucket()
        bucket["a/shop.zip"] = S3Bucket.Object(Array("archive".utf8))
        let publisher = try S3Publisher(bucket)
        try await publisher.apply(publisher.change(adding: [("shop.zip", "archive")]))
        let error = await #expect(throws: BundleError.self) {
            try await publisher.apply(publisher.change(adding: [("shop.zip", "arc hive")]))
        }
        #expect(error?.code == .outputUnavailable && bucket.texts["a/shop.zip"] == "archive")
    }

    @Test(
        "keeps another file of a name that is added, also one that came meanwhile",
        arguments: [true, false]
    )
    func taken(_ isListed: Bool) async throws {
        let bucket = S3Bucket()
        let publisher = try S3Publisher(bucket)
        let change = try publisher.change(adding: [("shop.zip", "archive")], replacing: [("feed.json", "feed")])
        let before = try await publisher.place.contents()
        bucket["a/shop.zip"] = S3Bucket.Object(Array("another".utf8))
        let contents = isListed ? try await publisher.place.contents() : before
        let error = await #expect(throws: BundleError.self) {
            try await publisher.place.apply(change, to: contents) { _ in }
        }
        #expect(error?.code == .outputUnavailable && bucket.texts == ["a/shop.zip": "another"])
    }

    @Test func `accepts the same file of another publisher who was faster`() async throws {
        let bucket = S3Bucket()
        let publisher = try S3Publisher(bucket)
        let change = try publisher.change(adding: [("shop.zip", "archive")])
        let before = try await publisher.place.contents()
        try await publisher.apply(change)
        try await publisher.place.apply(change, to: before) { _ in }
        #expect(bucket.texts == ["a/shop.zip": "archive"])
    }

    @Test("leaves a feed alone that somebody else has changed", arguments: ["1", nil])
    func conflict(_ earlier: String?) async throws {
        let bucket = S3Bucket()
        if let earlier { bucket["a/feed.json"] = S3Bucket.Object(Array(earlier.utf8)) }
        let publisher = try S3Publisher(bucket)
        let contents = try await publisher.place.contents()
        bucket["a/feed.json"] = S3Bucket.Object(Array("theirs".utf8))
        await #expect(throws: PlaceConflict.self) {
            try await publisher.place.apply(publisher.change(replacing: [("feed.json", "ours")]), to: contents) { _ in }
        }
        bucket["a/feed.json"] = nil
        if earlier != nil {
            await #expect(throws: PlaceConflict.self) {
                try await publisher.place.apply(publisher.change(replacing: [("feed.json", "ours")]), to: contents) {
                    _ in
                }
            }
        }
        #expect(bucket["a/feed.json"] == nil)
    }

    @Test func `has replaced a feed when only the response was lost`() async throws {
        let bucket = S3Bucket()
        bucket["a/feed.json"] = S3Bucket.Object(Array("1".utf8))
        let publisher = try S3Publisher(bucket)
        let change = try publisher.change(replacing: [("feed.json", "2")])
        let file = change.replaced[0]
        bucket.intercepting { [bucket] line, request in
            guard line == "PUT a/feed.json", bucket.texts["a/feed.json"] == "1" else { return nil }
            bucket["a/feed.json"] = S3Bucket.Object(Array("2".utf8), fields: [.amzMetaSHA256: file.digest.hex])
            return S3Bucket.refusal(500, "InternalError")
        }
        try await publisher.apply(change)
        #expect(bucket.texts == ["a/feed.json": "2"])
    }

    @Test func `loses no change of eight publishers at once`() async throws {
        let bucket = S3Bucket()
        bucket["a/feed.json"] = S3Bucket.Object(Array("0".utf8))
        let memory = S3ProbeMemory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask {
                    let publisher = try S3Publisher(bucket, memory: memory)
                    while true {
                        do {
                            let contents = try await publisher.place.contents()
                            let path = publisher.files.path(of: "feed")
                            try await publisher.place.download("feed.json", of: contents, to: path, atMost: 1_000)
                            let text = try String(contentsOfFile: path, encoding: .utf8)
                            let change = try publisher.change(replacing: [("feed.json", "\(text) \(number)")])
                            return try await publisher.place.apply(change, to: contents) { _ in }
                        } catch is PlaceConflict {}
                    }
                }
            }
            try await group.waitForAll()
        }
        let numbers = bucket.texts["a/feed.json"]?.split(separator: " ").compactMap { Int($0) }
        #expect(numbers?.sorted() == Array(0...8))
    }

    @Test("completes what a killed publication began, whatever it had done", arguments: [true, false])
    func killed(_ comparesTags: Bool) async throws {
        let files = ["a/shop-1.zip": "1", "a/shop-2.zip": "2"]
        for limit in 1... {
            let bucket = S3Bucket(compare: comparesTags ? .kept : .refused)
            bucket["a/feed.json"] = S3Bucket.Object(Array("shop-1.zip".utf8))
            bucket["a/shop-1.zip"] = S3Bucket.Object(Array("1".utf8))
            let killed = try S3Publisher(bucket)
            func change(_ publisher: S3Publisher) throws -> PlaceChange {
                try publisher.change(adding: [("shop-2.zip", "2")], replacing: [("feed.json", "shop-2.zip")])
            }
            bucket.intercepting { [bucket] _, _ in
                if bucket.log.count > limit { throw CancellationError() }
                return nil
            }
            let isComplete = (try? await killed.apply(change(killed))) != nil
            bucket.intercepting { _, _ in nil }
            // What the feed names is there.
            let named = try #require(bucket.texts["a/feed.json"])
            #expect(bucket.texts["a/\(named)"] == files["a/\(named)"])
            // The lock's time is over.
            let clock = TestClock(Date(timeIntervalSince1970: 1_767_225_600 + 3_600))
            let next = try S3Publisher(bucket, clock: clock)
            try await next.apply(change(next))
            #expect(bucket.texts["a/feed.json"] == "shop-2.zip" && bucket.texts["a/shop-2.zip"] == "2")
            #expect(bucket.texts["a/feed.lock.json"] == nil)
            if isComplete { break }
        }
    }

    @Test func `saves what it downloads, unless it was changed or is too long`() async throws {
        let bucket = S3Bucket()
        bucket["a/feed.json"] = S3Bucket.Object(Array("text".utf8))
        let publisher = try S3Publisher(bucket)
        let contents = try await publisher.place.contents()
        let path = publisher.files.path(of: "feed.json")
        try Data("earlier".utf8).write(to: URL(filePath: path))
        try await publisher.place.download("feed.json", of: contents, to: path, atMost: 4)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        let long = await #expect(throws: BundleError.self) {
            try await publisher.place.download("feed.json", of: contents, to: path, atMost: 3)
        }
        #expect(long?.code == .invalidFeed)
        bucket["a/feed.json"] = S3Bucket.Object(Array("other".utf8))
        await #expect(throws: PlaceConflict.self) {
            try await publisher.place.download("feed.json", of: contents, to: path, atMost: 10)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    }
}

import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import Testing

@testable import BundlePublishing

@Suite("The conditions of a store")
struct S3ConditionsTests {
    private static let treatments: [S3Conditions.Treatment] = [.kept, .refused, .ignored]

    @Test("are found out by a probe, of which nothing is left", arguments: treatments, treatments)
    func probe(_ create: S3Conditions.Treatment, _ compare: S3Conditions.Treatment) async throws {
        let bucket = S3Bucket(create: create, compare: compare)
        let conditions = try await S3Conditions(probing: bucket.client())
        #expect(conditions == S3Conditions(create: create, compare: compare))
        #expect(bucket.texts == [:])
    }

    @Test func `are probed once for a place`() async throws {
        let (bucket, memory) = (S3Bucket(compare: .refused), S3ProbeMemory())
        for text in ["1", "2"] {
            let publisher = try S3Publisher(bucket, memory: memory)
            try await publisher.apply(publisher.change(replacing: [("feed.json", text)]))
            #expect(publisher.warned.state.count == (text == "1" ? 1 : 0))
        }
        #expect(bucket.log.count { $0.contains("probe") } == 4)
    }

    @Test func `leave nothing of a probe that fails`() async throws {
        let bucket = S3Bucket()
        bucket.intercepting { [bucket] _, _ in
            bucket.log.count == 3 ? S3Bucket.refusal(403, "AccessDenied") : nil
        }
        let error = await #expect(throws: BundleError.self) { try await S3Conditions(probing: bucket.client()) }
        #expect(error?.remedy == .giveBucketCredentials && bucket.texts == [:])
    }

    @Test(
        "that are ignored keep a publisher away",
        arguments: [(.ignored, .kept), (.kept, .ignored), (.ignored, .ignored), (.refused, .ignored)]
            as [(S3Conditions.Treatment, S3Conditions.Treatment)]
    )
    func ignored(_ create: S3Conditions.Treatment, _ compare: S3Conditions.Treatment) async throws {
        let bucket = S3Bucket(create: create, compare: compare)
        let (memory, publisher) = (S3ProbeMemory(), try S3Publisher(bucket))
        let change = try publisher.change(adding: [("shop.zip", "1")], replacing: [("feed.json", "1")])
        for _ in 1...2 {
            let error = await #expect(throws: BundleError.self) { try await publisher.apply(change) }
            #expect(error?.code == .outputUnavailable && error?.remedy == .permitUnsafeConcurrency)
        }
        #expect(bucket.texts == [:])
        let daring = try S3Publisher(bucket, permitsUnsafeConcurrency: true, memory: memory)
        try await daring.apply(change)
        #expect(bucket.texts == ["a/shop.zip": "1", "a/feed.json": "1"] && daring.warned.state.count == 1)
    }

    @Test("that are refused get a lock in their place", arguments: [S3Conditions.Treatment.kept, .refused])
    func refused(_ create: S3Conditions.Treatment) async throws {
        let bucket = S3Bucket(create: create, compare: .refused)
        bucket["a/feed.json"] = S3Bucket.Object(Array("1".utf8))
        let publisher = try S3Publisher(bucket)
        let contents = try await publisher.place.contents()
        try await publisher.place.apply(publisher.change(replacing: [("feed.json", "2")]), to: contents) { _ in }
        let log = bucket.log.filter { !$0.contains("probe") }
        #expect(
            log.filter { !$0.hasPrefix("GET") && !$0.hasPrefix("HEAD") } == [
                "PUT a/feed.lock.json", "PUT a/feed.json", "DELETE a/feed.lock.json",
            ]
        )
        #expect(bucket.texts == ["a/feed.json": "2"] && publisher.warned.state.count == 1)
        await #expect(throws: PlaceConflict.self) {
            try await publisher.place.apply(publisher.change(replacing: [("feed.json", "3")]), to: contents) { _ in }
        }
        #expect(bucket.texts == ["a/feed.json": "2"])
    }
}

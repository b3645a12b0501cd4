import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundlePublishing

@Suite("The lock of a place in a bucket")
struct S3LockTests {
    private static let key = "a/feed.lock.json"
    private static let now: Int64 = 1_767_225_600

    private let bucket = S3Bucket()

    private func lock(isCreateOnly: Bool, pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }) throws
        -> S3Lock
    {
        S3Lock(try bucket.client(pause: pause), isCreateOnly: isCreateOnly, now: TestClock().read)
    }

    private func put(expires: Int64) {
        bucket[Self.key] = S3Bucket.Object(Array("{\"holder\":\"other\",\"expires\":\(expires)}".utf8))
    }

    @Test("names its holder, and goes with it", arguments: [true, false])
    func life(_ isCreateOnly: Bool) async throws {
        let lock = try lock(isCreateOnly: isCreateOnly)
        try await lock.acquire()
        #expect(try await lock.isHeld())
        #expect(bucket.texts[Self.key]?.contains("\"expires\": \(Self.now + 600)") == true)
        #expect(bucket[Self.key]?.fields[.cacheControl] == "no-store")
        await lock.release()
        #expect(bucket.texts == [:])
    }

    @Test("is waited for", arguments: [true, false])
    func waiting(_ isCreateOnly: Bool) async throws {
        put(expires: Self.now + 10)
        let pauses = Monitor<[Duration]>([])
        let lock = try lock(isCreateOnly: isCreateOnly) { [bucket] pause in
            pauses.update { $0.append(pause) }
            if pauses.state.count == 3 { bucket[Self.key] = nil }
        }
        try await lock.acquire()
        #expect(try await lock.isHeld())
        #expect(pauses.state.count == (isCreateOnly ? 3 : 4))
    }

    @Test func `isn't waited for forever`() async throws {
        put(expires: Self.now + 10)
        let error = await #expect(throws: BundleError.self) { try await lock(isCreateOnly: true).acquire() }
        #expect(error?.code == .networkUnavailable && bucket.texts[Self.key]?.contains("other") == true)
    }

    @Test("of a process that has ended, or one that can't be, is taken", arguments: [-1, 0, 1_201, Int64.max - now])
    func expired(_ rest: Int64) async throws {
        put(expires: Self.now + rest)
        let lock = try lock(isCreateOnly: true)
        try await lock.acquire()
        #expect(try await lock.isHeld())
    }

    @Test(
        "that isn't one is taken",
        arguments: ["", "{}", "{\"holder\":1,\"expires\":2}", String(repeating: " ", count: 2_000)]
    )
    func malformed(_ text: String) async throws {
        bucket[Self.key] = S3Bucket.Object(Array(text.utf8))
        let lock = try lock(isCreateOnly: true)
        try await lock.acquire()
        #expect(try await lock.isHeld())
    }

    @Test func `isn't taken when another publisher wrote it last`() async throws {
        let lock = try lock(isCreateOnly: false) { [bucket] _ in
            if bucket.log.count(where: { $0.hasPrefix("PUT") }) == 1 {
                bucket[Self.key] = S3Bucket.Object(Array("{\"holder\":\"other\",\"expires\":\(Self.now - 1)}".utf8))
            }
        }
        try await lock.acquire()
        #expect(bucket.log.count { $0.hasPrefix("PUT") } == 2)
    }

    @Test func `stays another's`() async throws {
        let lock = try lock(isCreateOnly: true)
        try await lock.acquire()
        put(expires: Self.now + 10)
        #expect(try await !lock.isHeld())
        await lock.release()
        #expect(bucket.texts[Self.key]?.contains("other") == true)
    }
}

import BundleStore
import BundleUpdate
import Foundation
import HTTPTypes

/// An object that keeps two publishers apart where the store can't compare: it names who publishes, and until when. It isn't safe against
/// publishers whose clocks differ much, or who lose each other between two requests; without it, each of two would undo what the other did.
/// Safe to share between threads.
struct S3Lock: Sendable {
    /// Its name in the place.
    static let fileName = "feed.lock.json"
    /// How long it holds in seconds, for when its process ends.
    private static let life: Int64 = 600
    /// How long it is waited for between two looks.
    private static let interval = Duration.seconds(2)
    private static let maximumByteCount = 1_024

    private let client: S3Client
    private let isCreateOnly: Bool
    private let now: @Sendable () -> Date
    private let holder = String(UInt64.random(in: 0...UInt64.max), radix: 16)

    /// - Parameters:
    ///   - isCreateOnly: Whether the store keeps an object that is there.
    ///   - now: The time.
    init(_ client: S3Client, isCreateOnly: Bool, now: @escaping @Sendable () -> Date) {
        (self.client, self.isCreateOnly, self.now) = (client, isCreateOnly, now)
    }

    private var key: String { client.location.key(of: Self.fileName) }

    /// Waits until nobody else has it, or its time is over, and takes it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when somebody has it all the time; as
    ///   ``/BundleUpdate/S3Client/document(_:)``.
    func acquire() async throws {
        let looks = 2 * Self.life / Self.interval.components.seconds
        for _ in 0..<looks {
            if try await isTaken() { return }
            try await client.pause(Self.interval)
        }
        throw BundleError(
            .networkUnavailable,
            "\(client.name(of: key)) says all the time that somebody else publishes; find out who, and remove it"
        )
    }

    private func isTaken() async throws -> Bool {
        if isCreateOnly {
            if try await write(if: .absent) { return true }
            guard try await !isHeldByOther() else { return false }
            try await client.delete(key)
            return try await write(if: .absent)
        }
        guard try await !isHeldByOther(), try await write(if: .none) else { return false }
        // Another publisher that has seen none either writes meanwhile: the last one has it.
        try await client.pause(Self.interval)
        return try await isHeld()
    }

    private func write(if condition: S3Client.WriteCondition) async throws -> Bool {
        let end = Int64(now().timeIntervalSince1970) + Self.life
        let document = JSONObject([
            .init("holder", .string(holder)), .init("expires", .number(JSONNumber(end))),
        ])
        let content = S3Content(JSONWriter.bytes(of: .object(document), .lines))
        return try await client.put(
            key,
            content,
            if: condition,
            fields: [.contentType: "application/json", .cacheControl: "no-store"]
        )
    }

    private func isHeldByOther() async throws -> Bool {
        guard let (holder, expires) = try await current(), holder != self.holder else { return false }
        let time = Int64(now().timeIntervalSince1970)
        // What holds for longer than it may is of a clock that is wrong.
        return expires > time && expires <= time + 2 * Self.life
    }

    /// Whether this publication still has it.
    ///
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``.
    func isHeld() async throws -> Bool { try await current()?.holder == holder }

    /// Nil when it isn't there, or isn't a lock.
    private func current() async throws -> (holder: String, expires: Int64)? {
        let document: [UInt8]
        do {
            document = try await client.document(S3Request(.get, key)).bytes
        } catch let error as BundleError where error.s3Failure?.isAbsence == true {
            return nil
        }
        let element = try? JSONElement(
            parsing: document,
            named: Self.fileName,
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidFeed
        )
        guard case .object(let members)? = element?.value, case .string(let holder)? = members["holder"],
            case .number(let expires)? = members["expires"], let expires = expires.int64
        else { return nil }
        return (holder, expires)
    }

    /// Gives it back, if it still is this publication's. When that fails, its time ends it.
    func release() async {
        guard (try? await isHeld()) == true else { return }
        try? await client.delete(key)
    }
}

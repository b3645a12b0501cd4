import BundleStore
import BundleUpdate
import HTTPTypes
import Synchronization

/// What a store does with the conditions of writes. A value type; safe to share between threads.
struct S3Conditions: Equatable, Sendable {
    /// What it does with one.
    enum Treatment: Sendable {
        /// It refuses a write whose condition doesn't hold.
        case kept
        /// It refuses every write with the condition, which is safe.
        case refused
        /// It writes although the condition doesn't hold.
        case ignored
    }

    /// An object is written unless there is one: `If-None-Match: *`.
    var create = Treatment.kept
    /// An object is written unless somebody else has: `If-Match`.
    var compare = Treatment.kept

    /// Whether one of both is treated so.
    func has(_ treatment: Treatment) -> Bool { create == treatment || compare == treatment }
}

extension S3Conditions {
    private static let probePrefix = ".offline-bundles-probe-"

    /// Whether a file of a place is one that a probe has left behind when its process ended.
    static func isProbe(_ name: String) -> Bool { name.hasPrefix(probePrefix) }

    /// Finds out what a store does, by writing an object that nobody else knows, and removes it.
    ///
    /// - Throws: As ``/BundleUpdate/S3Client/document(_:)``.
    init(probing client: S3Client) async throws {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let key = client.location.key(of: Self.probePrefix + number)
        do {
            if try await Self.write(key, if: .absent, to: client) == .refused {
                create = .refused
                _ = try await client.put(key, S3Content(Array("probe".utf8)), if: .none)
            } else {
                create = try await Self.write(key, if: .absent, to: client)
            }
            // No object has this tag: none has an empty content, whose MD5 it is.
            compare = try await Self.write(key, if: .tag("\"d41d8cd98f00b204e9800998ecf8427e\""), to: client)
        } catch {
            try? await client.delete(key)
            throw error
        }
        try await client.delete(key)
    }

    /// Writes with a condition that doesn't hold, unless it is the first write.
    private static func write(
        _ key: String,
        if condition: S3Client.WriteCondition,
        to client: S3Client
    ) async throws -> Treatment {
        do {
            return try await client.put(key, S3Content(Array("probe".utf8)), if: condition) ? .ignored : .kept
        } catch let error as BundleError where error.s3Failure?.isUnsupported == true {
            return .refused
        }
    }
}

/// What was found out about places, so that each is probed once. Thread-safe.
package final class S3ProbeMemory: Sendable {
    /// That of the process.
    package static let shared = S3ProbeMemory()

    private let found = Mutex<[String: S3Conditions]>([:])

    package init() {}

    /// What a place's store does.
    ///
    /// - Parameter report: Called when it was found out just now.
    /// - Throws: As ``S3Conditions/init(probing:)``.
    func conditions(of client: S3Client, _ report: (S3Conditions) throws -> Void) async throws -> S3Conditions {
        if let known = found.withLock({ $0[client.identity] }) { return known }
        let conditions = try await S3Conditions(probing: client)
        try report(conditions)
        found.withLock { $0[client.identity] = conditions }
        return conditions
    }
}

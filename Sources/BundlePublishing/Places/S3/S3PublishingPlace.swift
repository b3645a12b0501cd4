import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

import struct Crypto.SHA256

/// A place in a bucket. Safe to share between threads.
///
/// Objects are created and never changed, but for the feed and the timestamp, which are replaced if nobody else has done so meanwhile. A
/// store that refuses to compare gets a lock in their place; one that ignores it silently isn't written to, unless that is permitted.
package struct S3PublishingPlace: PublishingPlace {
    /// How long caches may keep a file that changes, in seconds, and one that doesn't.
    private static let (changing, constant) = ("max-age=60", "public, max-age=31536000, immutable")

    private let client: S3Client
    private let permitsUnsafeConcurrency: Bool
    private let memory: S3ProbeMemory
    private let now: @Sendable () -> Date
    private let warn: @Sendable (Notice) -> Void

    /// - Parameters:
    ///   - permitsUnsafeConcurrency: Whether to write to a store that can't keep two publishers apart.
    ///   - memory: What is known of stores.
    ///   - now: The time, by which a lock ends.
    ///   - warn: Called with what the publisher should know of the store, once.
    package init(
        _ client: S3Client,
        permitsUnsafeConcurrency: Bool = false,
        memory: S3ProbeMemory = .shared,
        now: @escaping @Sendable () -> Date = { Date() },
        warn: @escaping @Sendable (Notice) -> Void
    ) {
        self.client = client
        self.permitsUnsafeConcurrency = permitsUnsafeConcurrency
        self.memory = memory
        self.now = now
        self.warn = warn
    }

    package var name: String { client.location.description }

    private func key(_ name: String) -> String { client.location.key(of: name) }

    // MARK: - Reading

    package func contents() async throws -> PlaceContents {
        var files: [String: PlaceContents.File] = [:]
        for object in try await client.list() {
            let name = String(decoding: object.key.utf8.dropFirst(client.location.keyPrefix.utf8.count), as: UTF8.self)
            guard ConfinedFile.isName(name), !S3Conditions.isProbe(name), name != S3Lock.fileName else { continue }
            files[name] = PlaceContents.File(size: object.size, digest: object.digest, revision: object.tag)
        }
        return PlaceContents(files: files)
    }

    package func digest(of name: String, in contents: PlaceContents) async throws -> Digest? {
        try await client.describe(key(name))?.digest
    }

    package func download(
        _ name: String,
        of contents: PlaceContents,
        to path: String,
        atMost maximumByteCount: Int64
    ) async throws {
        let key = key(name)
        let file = try StagedFile(for: path)
        let output = try Self.writing(path) { Locked(try OutputFile(path: file.path)) }
        let isThere = try await client.fetch(key, tag: contents.files[name]?.revision, atMost: maximumByteCount) {
            chunk in
            try Self.writing(path) { try output.value.withLock { try $0.append(chunk) } }
        }
        guard isThere else { throw PlaceConflict() }
        try Self.writing(path) { try output.value.withLock { try $0.close() } }
        try file.publish()
    }

    private final class Locked: Sendable {
        let value: Mutex<OutputFile>
        init(_ file: sending OutputFile) { value = Mutex(file) }
    }

    private static func writing<Success>(_ path: String, _ body: () throws -> Success) throws -> Success {
        do { return try body() } catch {
            throw BundleError(.outputUnavailable, "\(Printable.line(path)) can't be written: \(error)", cause: error)
        }
    }

    // MARK: - Publishing

    package func apply(
        _ change: PlaceChange,
        to contents: PlaceContents,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws {
        guard !change.isEmpty else { return }
        let conditions = try await memory.conditions(of: client, judge)
        let total = (change.added + change.replaced).reduce(0) { $0 + $1.size }
        var done: Int64 = 0
        for file in change.added {
            try Task.checkCancellation()
            try await add(file, contents, conditions) { [done] in
                progress(ByteProgress(done: done + $0, total: total))
            }
            done += file.size
        }
        guard conditions != S3Conditions() else {
            for file in change.replaced { try await replace(file, contents.files[file.name]?.revision) }
            for name in change.removed { try await client.delete(key(name)) }
            return progress(ByteProgress(done: total, total: total))
        }
        let lock = S3Lock(client, isCreateOnly: conditions.create == .kept, now: now)
        try await lock.acquire()
        do {
            for file in change.replaced { try await replace(file, contents.files[file.name]?.revision, holding: lock) }
            for name in change.removed { try await client.delete(key(name)) }
        } catch {
            await lock.release()
            throw error
        }
        await lock.release()
        progress(ByteProgress(done: total, total: total))
    }

    /// Refuses a store, or tells of it, when it was probed.
    private func judge(_ conditions: S3Conditions) throws {
        if conditions.has(.ignored) {
            let problem =
                "the server of \(name) ignores the conditions of writes: of two who publish at the same time, one undoes "
                + "what the other did"
            guard permitsUnsafeConcurrency else {
                throw BundleError(.outputUnavailable, problem, .permitUnsafeConcurrency)
            }
            warn(Notice("\(problem); a lock makes that less likely"))
        } else if conditions.has(.refused) {
            warn(
                Notice(
                    "the server of \(name) refuses the conditions of writes, and a lock, \(S3Lock.fileName), takes their place; don't "
                        + "publish with other programs at the same time"
                )
            )
        }
    }

    /// Sends a file that never changes, unless it is there.
    private func add(
        _ file: PlaceChange.File,
        _ contents: PlaceContents,
        _ conditions: S3Conditions,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws {
        let key = key(file.name)
        // An attempt that was interrupted may have sent it.
        if contents.files[file.name] != nil || conditions.create != .kept, try await isThere(file) { return }
        let local = try LocalFile(file)
        let isCreateOnly = conditions.create == .kept
        let isAdded: Bool
        if file.size >= S3Upload.leastByteCount {
            isAdded = try await S3Upload(
                client: client,
                key: key,
                file: local,
                digest: file.digest,
                fields: Self.fields(of: file, Self.constant),
                isCreateOnly: isCreateOnly,
                progress: progress
            ).run()
        } else {
            let content = S3Content(byteCount: file.size, digest: file.digest) { local.stream(progress) }
            let fields = Self.fields(of: file, Self.constant)
            isAdded = try await client.put(key, content, if: isCreateOnly ? .absent : .none, fields: fields)
        }
        if isAdded { return }
        guard try await isThere(file) else { throw PlaceConflict() }
    }

    /// Whether the place has the file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when it has another one of that name.
    private func isThere(_ file: PlaceChange.File) async throws -> Bool {
        let key = key(file.name)
        guard let object = try await client.describe(key) else { return false }
        if object.size == file.size {
            if object.digest == file.digest { return true }
            // Another program has copied it here.
            if object.digest == nil, try await digest(of: object) == file.digest { return true }
        }
        throw BundleError(
            .outputUnavailable,
            "\(client.name(of: key)) is another file than the one that is published; raise the version, or remove it"
        )
    }

    private func digest(of object: S3Object) async throws -> Digest? {
        let hasher = Mutex(SHA256())
        let isThere = try await client.fetch(object.key, tag: object.tag, atMost: object.size) { chunk in
            hasher.withLock { $0.update(data: chunk) }
        }
        return isThere ? hasher.withLock { Digest($0.finalize()) } : nil
    }

    /// Replaces a file that was read with this revision; nil when there was none.
    private func replace(_ file: PlaceChange.File, _ revision: String?, holding lock: S3Lock? = nil) async throws {
        try Task.checkCancellation()
        let (key, local) = (key(file.name), try LocalFile(file))
        let content = S3Content(byteCount: file.size, digest: file.digest) { local.stream { _ in } }
        let fields = Self.fields(of: file, Self.changing)
        var condition = revision.map(S3Client.WriteCondition.tag) ?? .absent
        if let lock {
            guard try await client.describe(key)?.tag == revision, try await lock.isHeld() else {
                throw PlaceConflict()
            }
            condition = .none
        }
        guard try await !client.put(key, content, if: condition, fields: fields) else { return }
        // The response to an attempt that has succeeded may have been lost.
        let object = try await client.describe(key)
        guard object?.digest == file.digest, object?.size == file.size else { throw PlaceConflict() }
    }

    private static func fields(of file: PlaceChange.File, _ life: String) -> HTTPFields {
        let fileExtension = file.name.split(separator: ".").last.map(String.init) ?? ""
        return [
            .contentType: (MediaType.forExtension(fileExtension) ?? .octetStream).string,
            .cacheControl: life,
            .amzMetaSHA256: file.digest.hex,
        ]
    }
}

import BundleEmbedding
import Foundation
import Synchronization

/// A file that only this process uses, and that is removed with the last reference. Thread-safe.
final class TemporaryFile: Sendable {
    let url: URL
    private let handle: Mutex<FileHandle>

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when it can't be created.
    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("offline-bundles-\(UUID().uuidString)")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes) else {
            throw Self.error(nil)
        }
        do {
            handle = Mutex(try FileHandle(forUpdating: url))
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw Self.error(error)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func append(_ bytes: some DataProtocol) throws {
        try reporting { handle in
            try handle.seekToEnd()
            try handle.write(contentsOf: bytes)
        }
    }

    /// Up to `count` bytes.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func read(at offset: UInt64, count: Int) throws -> Data {
        try reporting { handle in
            try handle.seek(toOffset: offset)
            return try handle.read(upToCount: count) ?? Data()
        }
    }

    func empty() throws {
        try reporting { try $0.truncate(atOffset: 0) }
    }

    private func reporting<Result: Sendable>(_ body: (FileHandle) throws -> sending Result) throws -> Result {
        do {
            return try handle.withLock { try body($0) }
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ cause: (any Error)?) -> BundleError {
        let folder = FileManager.default.temporaryDirectory.path
        return BundleError(.outputUnavailable, "a temporary file in \(folder) can't be used", .freeSpace, cause: cause)
    }
}

import BundleStore
import Foundation
import Synchronization

/// Damages the contents of a store in place, as a failing disk does and this program never would.
package enum SegmentDamage {
    /// Changes the last byte of `text`, wherever the store in `folder` holds it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when no segment holds it; Foundation's error
    ///   when one can't be changed.
    package static func flip(_ text: String, inStore folder: String) throws {
        let (path, range) = try find(text, inStore: folder)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(range.upperBound - 1))
        let byte = try file.read(upToCount: 1)?.first ?? 0
        try file.seek(toOffset: UInt64(range.upperBound - 1))
        try file.write(contentsOf: Data([byte ^ 1]))
    }

    /// Truncates the segment that holds `text` in the middle of the text.
    ///
    /// - Throws: As ``flip(_:inStore:)``.
    package static func cut(at text: String, inStore folder: String) throws {
        let (path, range) = try find(text, inStore: folder)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.truncate(atOffset: UInt64(range.lowerBound + range.count / 2))
    }

    /// The path of the segment that holds `text`, and the range of the text in it.
    ///
    /// - Throws: As ``flip(_:inStore:)``.
    package static func find(_ text: String, inStore folder: String) throws -> (path: String, range: Range<Int>) {
        let segments = folder + "/segments"
        for name in try FileManager.default.contentsOfDirectory(atPath: segments).sorted() {
            let path = "\(segments)/\(name)"
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            if let range = bytes.firstRange(of: Array(text.utf8)) { return (path, range) }
        }
        throw BundleError(.invalidArgument, "no segment in \(segments) holds “\(text)”; name another text")
    }
}

/// Collects the damage that a store reports. Thread-safe.
package final class DamageLog: Sendable {
    private let found = Mutex<[StoreDamage]>([])

    /// Makes an empty log.
    package init() {}

    /// The damage reported so far, in order.
    package var damage: [StoreDamage] { found.withLock { $0 } }

    /// The handler to open a store with.
    package var handler: DamageHandler {
        { damage in self.found.withLock { $0.append(damage) } }
    }
}

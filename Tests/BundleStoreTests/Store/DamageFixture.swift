import BundleTesting
import Foundation
import Testing

@testable import BundleStore

extension TemporaryDirectory {
    /// The path of the only file in a folder of the store that contains `text`.
    func storeFile(in folder: String, holding text: String) throws -> String {
        let files = try names(in: folder).map { "store/\(folder)/\($0)" }
        return try #require(try files.first { try read($0).firstRange(of: Array(text.utf8)) != nil })
    }

    /// Replaces the content of a file under its name, as no code of this program does.
    func change(_ file: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try read(file)
        try change(&bytes)
        try remove(file)
        try write(bytes, to: file)
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: path(of: file))
    }

    /// Changes a byte of `text` in a segment.
    func damage(_ text: String) throws {
        try SegmentDamage.flip(text, inStore: path(of: "store"))
    }

    /// The path of the index of a version.
    func index(of version: String, of name: String = "shop") throws -> String {
        "store/indexes/\(try openStore().release(version, of: name).index.identifier.name).index"
    }
}

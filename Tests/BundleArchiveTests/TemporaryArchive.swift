import Foundation

/// A file in the temporary folder that is removed with the object.
final class TemporaryArchive {
    let path: String

    init(_ bytes: [UInt8] = []) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var bytes: [UInt8] {
        get throws { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }
}

import Foundation

/// The paths of files in the checkout.
package enum Project {
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static func path(_ relativePath: String) -> String { root.appendingPathComponent(relativePath).path }

    /// The one file in a folder whose name has this start and end: the names of fingerprinted files change.
    package static func file(in folder: String, prefix: String, suffix: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: path(folder))
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
        guard names.count == 1 else { throw CocoaError(.fileNoSuchFile) }
        return names[0]
    }

    package static func text(_ relativePath: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(relativePath), encoding: .utf8)
    }

    package static func contents(_ relativePath: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(relativePath)))
    }
}

import Foundation

/// One call that changed the watched folder or made a change durable, from FaultInjection's log.
struct FaultStep: CustomStringConvertible {
    let operation: String
    /// Relative to the watched folder.
    let path: String
    /// The new path of a rename or a link, or the range of a write.
    let detail: String?
    let description: String

    /// Reads a log; nothing when there is none.
    static func log(at path: String) -> [FaultStep] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap(FaultStep.init)
    }

    private init?(_ line: Substring) {
        let fields = line.split(separator: "\t")
        guard fields.count >= 3 else { return nil }
        operation = String(fields[1])
        path = String(fields[2])
        detail = fields.count > 3 ? String(fields[3]) : nil
        description = fields.joined(separator: " ")
    }

    var isSync: Bool { operation == "sync" }
    var isWrite: Bool { operation == "write" }

    /// The new path of a rename.
    var newPath: String? { operation == "rename" ? detail : nil }

    /// The part that is the same in every run: files have random names.
    var shape: String {
        [operation, path, newPath ?? ""].joined(separator: " ").replacing(/[0-9a-f]{32,}/, with: "ID")
    }
}

import BundleModel

/// The name of a role: one of the four at the top, or one that a delegator gives. Its file never leaves the folder that it is in,
/// however it is written. A value type; safe to share between threads.
package struct RoleName: Hashable, Sendable {
    /// The role that says which keys the others have.
    package static let root = RoleName(unchecked: "root")
    /// The role that says which snapshot is the latest.
    package static let timestamp = RoleName(unchecked: "timestamp")
    /// The role that says which documents with targets belong together.
    package static let snapshot = RoleName(unchecked: "snapshot")
    /// The role that says what may be installed, or delegates that.
    package static let targets = RoleName(unchecked: "targets")

    /// The name as its delegator writes it.
    package let text: ExactString

    /// Returns nil for no text, one that is too long in a file name, and one of the four at the top.
    package init?(delegated text: String) {
        let name = RoleName(unchecked: ExactString(text))
        guard !text.isEmpty, text.utf8.count <= TrustLimits.roleNameByteCount,
            name.encoded.utf8.count <= TrustLimits.roleNameByteCount,
            ![.root, .timestamp, .snapshot, .targets].contains(name)
        else { return nil }
        self = name
    }

    private init(unchecked text: ExactString) {
        self.text = text
    }

    /// The document's name in the timestamp, in the snapshot, and in messages: `targets.json`.
    package var documentName: String { "\(text).json" }

    /// The file's name, with everything but unreserved characters percent-encoded: `..%2Frole.json`.
    package var fileName: String { "\(encoded).json" }

    /// The file's name in a repository with consistent snapshots (6.2): `3.targets.json`.
    package func fileName(version: Int) -> String { "\(version).\(fileName)" }

    private var encoded: String { PercentEncoding.encode(component: text.string) }
}

extension RoleName: CustomStringConvertible {
    /// The name as its delegator writes it.
    package var description: String { text.string }
}

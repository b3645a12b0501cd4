import BundleStore
import Foundation

/// A file with a secret in it, so that the secret is neither on the command line, which every user of the machine can see, nor
/// in a configuration.
enum SecretFile {
    /// The largest size in bytes.
    static let maximumByteCount = 8_192

    /// The first line, without spaces at its ends.
    ///
    /// - Throws: As ``lines(of:)``.
    static func line(of path: String) throws(BundleError) -> String {
        try lines(of: path)[0]
    }

    /// All of it.
    ///
    /// - Throws: As ``lines(of:)``, but not for what is no text.
    static func bytes(of path: String, atMost limit: Int = maximumByteCount) throws(BundleError) -> [UInt8] {
        let file = try InputDocument(path, atMost: limit)
        let name = Printable.line(path)
        guard file.mode & 0o027 == 0 else {
            throw BundleError(
                .invalidArgument,
                "\(name) has a secret, and other users can read or change it; run “chmod u=rw,g-wx,o= \(name)”"
            )
        }
        guard file.bytes.count <= limit else {
            throw BundleError(.invalidArgument, "\(name) has more than \(limit) bytes; it isn't a secret")
        }
        return file.bytes
    }

    /// The lines that aren't empty, without spaces at their ends; at least one.
    ///
    /// Others than the owner and the group mustn't have a right to the file, and only the owner may write it, as ssh has it for
    /// keys. The group may read: services get their secrets from root in this way.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when the file can't be read, or isn't a regular one;
    ///   `invalidArgument` when others have a right to it, or when it is empty, too long, or no text in UTF-8.
    static func lines(of path: String) throws(BundleError) -> [String] {
        let name = Printable.line(path)
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw BundleError(.invalidArgument, "\(name) isn't text in UTF-8; put the secret on its first line")
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard !lines.isEmpty else {
            throw BundleError(.invalidArgument, "\(name) is empty; put the secret on its first line")
        }
        return lines
    }
}

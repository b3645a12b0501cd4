/// A name that can't be the path of a file in a bundle.
public struct BundlePathError: Error, Hashable, Sendable {
    /// Why a path was refused.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Is empty.
        case empty
        /// Starts with a slash.
        case absolute
        /// Has a `..` component, which could leave the bundle.
        case parentReference
        /// Has a `.` or an empty component, so that two spellings would name one file.
        case emptyComponent
        /// Has a backslash, which is a separator on Windows.
        case backslash
        /// Starts with a letter and a colon: a drive on Windows, where `a:b.txt` is a file on drive `a:` even without a
        /// slash.
        case driveLetter
        /// Has a NUL or another control character.
        case controlCharacter
        /// Has over 4,096 bytes.
        case tooLong
        /// Has a component of over 255 bytes.
        case componentTooLong
        /// Lies in more than 64 nested folders.
        case tooDeep
    }

    /// The path as given.
    public let path: String
    /// Why it was refused.
    public let reason: Reason

    /// Creates an error for `path`.
    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension BundlePathError.Reason {
    /// The first rule that `path` breaks, or nil when it breaks none.
    static func first(in path: String) -> Self? {
        var path = path
        return path.withUTF8 { first(in: UnsafeRawBufferPointer($0)) }
    }

    /// The first rule that a path breaks, or nil when it breaks none. Allocates nothing.
    ///
    /// - Parameter path: Valid UTF-8 in normalisation form C.
    package static func first(in path: UnsafeRawBufferPointer) -> Self? {
        if path.isEmpty { return .empty }
        // No early exit, so that the loop is vectorised.
        if path.reduce(0 as UInt8, { $0 | (isUnusual($1) ? 1 : 0) }) != 0 {
            if hasControl(path) { return .controlCharacter }
            if path.contains(UInt8(ascii: "\\")) { return .backslash }
        }
        if path.first == UInt8(ascii: "/") { return .absolute }
        if hasDriveLetter(path) { return .driveLetter }
        if path.count > BundlePath.maximumByteCount { return .tooLong }
        return first(inComponentsOf: path)
    }

    /// Whether a byte is, or may begin, something that no path may contain; most paths have no such byte.
    private static func isUnusual(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\\") || byte == 0x7F || byte == 0xC2
    }

    /// C0, DEL and C1: U+009B starts a terminal's escape sequence just as ESC [ does.
    private static func hasControl(_ path: UnsafeRawBufferPointer) -> Bool {
        path.indices.contains { index in
            let byte = path[index]
            guard byte == 0xC2 else { return byte < 0x20 || byte == 0x7F }
            return index + 1 < path.count && (0x80...0x9F).contains(path[index + 1])
        }
    }

    private static func hasDriveLetter(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.count >= 2, path[1] == UInt8(ascii: ":") else { return false }
        return ASCII.isLetter(path[0])
    }

    private static func first(inComponentsOf path: UnsafeRawBufferPointer) -> Self? {
        var (start, folderCount) = (0, -1)
        while start <= path.count {
            var end = start
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            let count = end - start
            let isDots = count <= 2 && path[start..<end].allSatisfy { $0 == UInt8(ascii: ".") }
            if isDots { return count == 2 ? .parentReference : .emptyComponent }
            if count > BundlePath.maximumComponentByteCount { return .componentTooLong }
            folderCount += 1
            start = end + 1
        }
        return folderCount > BundlePath.maximumDepth ? .tooDeep : nil
    }
}

extension BundlePathError: CustomStringConvertible {
    /// One sentence that names the path and the problem.
    public var description: String {
        "“\(Printable.text(path))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .empty: "is an empty path"
        case .absolute: "is an absolute path"
        case .parentReference: "leaves the bundle through “..”"
        case .emptyComponent: "has an empty or “.” component"
        case .backslash: "has a backslash"
        case .driveLetter: "starts with a letter and a colon, which Windows takes for a drive"
        case .controlCharacter: "has a control character"
        case .tooLong: "is longer than \(BundlePath.maximumByteCount) bytes"
        case .componentTooLong: "has a component longer than \(BundlePath.maximumComponentByteCount) bytes"
        case .tooDeep: "is nested deeper than \(BundlePath.maximumDepth) folders"
        }
    }
}

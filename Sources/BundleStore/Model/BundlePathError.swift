/// A name that can't be the path of a file in a bundle.
public struct BundlePathError: Error, Hashable, Sendable {
    /// Why a path was refused.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Nothing at all.
        case empty
        /// Starts with a slash.
        case absolute
        /// Has a `..` component, which could leave the bundle.
        case parentReference
        /// Has a `.` or an empty component, so that two spellings would name one file.
        case emptyComponent
        /// Has a backslash, which is a separator on Windows.
        case backslash
        /// Starts with a Windows drive letter, such as `C:`.
        case driveLetter
        /// Has a NUL or another control character.
        case controlCharacter
        /// Has over 4,096 bytes.
        case tooLong
        /// Has a component of over 255 bytes.
        case componentTooLong
        /// Has over 64 components.
        case tooDeep
    }

    /// The path as it came.
    public let path: String
    /// Why it was refused.
    public let reason: Reason

    /// Makes an error for `path`.
    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension BundlePathError.Reason {
    /// The first rule that `path` breaks, or nil when it keeps them all.
    static func first(in path: String) -> Self? {
        if path.isEmpty { return .empty }
        if path.unicodeScalars.contains(where: isControl) { return .controlCharacter }
        if path.utf8.contains(UInt8(ascii: "\\")) { return .backslash }
        if path.utf8.first == UInt8(ascii: "/") { return .absolute }
        if hasDriveLetter(path) { return .driveLetter }
        if path.utf8.count > BundlePath.maximumByteCount { return .tooLong }
        return first(inComponentsOf: path)
    }

    /// C0, DEL and C1: U+009B starts a terminal's escape sequence just as ESC [ does.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    private static func hasDriveLetter(_ path: String) -> Bool {
        let start = path.utf8.prefix(2)
        guard start.count == 2, start.last == UInt8(ascii: ":"), let letter = start.first else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter | 0x20)
    }

    private static func first(inComponentsOf path: String) -> Self? {
        let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for component in components {
            if component.elementsEqual("..".utf8) { return .parentReference }
            if component.isEmpty || component.elementsEqual(".".utf8) { return .emptyComponent }
            if component.count > BundlePath.maximumComponentByteCount { return .componentTooLong }
        }
        return components.count > BundlePath.maximumDepth ? .tooDeep : nil
    }
}

extension BundlePathError: CustomStringConvertible {
    /// One sentence that names the path and what is wrong with it.
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
        case .driveLetter: "starts with a drive letter"
        case .controlCharacter: "has a control character"
        case .tooLong: "is longer than \(BundlePath.maximumByteCount) bytes"
        case .componentTooLong: "has a component longer than \(BundlePath.maximumComponentByteCount) bytes"
        case .tooDeep: "is nested deeper than \(BundlePath.maximumDepth) folders"
        }
    }
}

import BundleStore

/// The path of a request as components: as in the look-up with bytes, for rare uses.
struct RequestPath {
    /// The decoded components, in Unicode normalisation form C; a slash at the end adds none.
    let components: [String]
    /// The same components as they were sent.
    let rawComponents: [Substring]
    /// Whether the path ends in a slash.
    let isFolder: Bool

    /// Returns nil when a component is empty, `.` or `..`, contains a slash, backslash or control character when
    /// decoded, or doesn't decode to UTF-8.
    init?(_ path: String) {
        var path = path
        let decoded = path.withUTF8 { bytes in
            PathBuffer.withDecoded(UnsafeRawBufferPointer(bytes), headroom: 0) { buffer in
                (Self.split(buffer.bytes).map { String(decoding: $0, as: UTF8.self) }, buffer.isFolder)
            }
        }
        // Below a folder, because a drive letter counts as one only at the start of a path.
        guard let (components, isFolder) = decoded, components.allSatisfy({ (try? BundlePath("x/\($0)")) != nil })
        else { return nil }
        self.components = components
        self.isFolder = isFolder
        rawComponents = Self.split(isFolder ? path.utf8.dropLast() : path.utf8[...]).map(Substring.init)
    }

    /// By bytes, because a slash and a following combining mark are one Character.
    private static func split<Path: Collection<UInt8>>(_ path: Path) -> [Path.SubSequence] {
        path.isEmpty ? [] : path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

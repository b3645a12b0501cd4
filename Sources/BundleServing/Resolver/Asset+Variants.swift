import BundleStore

extension Asset {
    /// The lengths in bytes of files that are worth a coding. A shorter one fits into one packet with its head; a
    /// longer one would keep an encoder busy for a minute.
    package static let codedByteCounts = 256...(32 << 20)

    /// Whether the file's type and length are such that a coding makes it smaller.
    package var isWorthCoding: Bool {
        Self.codedByteCounts.contains(byteCount) && MediaType(mediaType)?.isCompressible == true
    }

    /// The publisher's own coded form beside the file in the same release, `app.js.br` for `app.js`; nil unless there
    /// is one, and it is smaller. It isn't known to contain what its name says.
    package func sibling(_ coding: ContentCoding) -> Asset? {
        guard let ext = coding.fileExtension, coding != .dictionaryZstandard,
            let path = try? BundlePath("\(self.path).\(ext)"),
            let sibling = release.asset(at: path), sibling.byteCount < byteCount
        else { return nil }
        return sibling
    }

    /// Whether there is, or will be, a coded form of the file.
    var mayHaveVariants: Bool { isWorthCoding || ContentCoding.allCases.contains { sibling($0) != nil } }

    /// The file's name without its folder.
    var name: Substring {
        let path = path
        return Substring(path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...])
    }
}

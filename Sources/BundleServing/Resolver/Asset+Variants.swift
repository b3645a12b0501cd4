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

extension Asset {
    /// The path with `*` for the hash in the file's name, which the file has in common with its other versions: each
    /// can be sent as a delta to another (RFC 9842). Nil for a file that can't be sent so.
    ///
    /// Only names with a hash have one. A browser keeps a dictionary for as long as the response with it is fresh
    /// (§2.2.2), and content that may change under its name is never fresh: it is revalidated each time. Declaring it
    /// fresh only for this purpose would show old pages after an update.
    package var versionPattern: String? {
        guard isWorthCoding, let name = namePattern else { return nil }
        return path.dropLast(self.name.count) + name
    }

    /// The same without the folder, for a URL pattern that is relative to the file's URL (§2.1.1).
    var namePattern: String? {
        guard let hash = hashInPath, MediaType(mediaType)?.isPage == false else { return nil }
        let path = Array(path.utf8)
        let start = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        guard start <= hash.lowerBound, hash.upperBound <= path.count else { return nil }
        let name = path[start..<hash.lowerBound] + [UInt8(ascii: "*")] + path[hash.upperBound...]
        // Other characters have a meaning in URL patterns, and names with hashes don't contain them.
        return name.allSatisfy(Self.isPlain) ? String(decoding: name, as: UTF8.self) : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~@*".utf8.contains(byte)
    }
}

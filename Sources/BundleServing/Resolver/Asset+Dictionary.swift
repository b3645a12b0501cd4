import BundleStore

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

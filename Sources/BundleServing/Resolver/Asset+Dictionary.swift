import BundleStore

extension Asset {
    /// The path with `*` for the hash in the file's name: what the file has in common with its other versions, each of which
    /// can be sent as a difference to another (RFC 9842). Nil for a file that can't.
    ///
    /// Only names with a hash have it. A browser keeps a dictionary for as long as the response with it is fresh (§2.2.2), and
    /// what may change under its name is never fresh: it is asked about each time. To call it fresh only for this would show
    /// old pages after an update.
    public var versionPattern: String? {
        guard isWorthCoding, let name = namePattern else { return nil }
        return path.dropLast(self.name.count) + name
    }

    /// The same without the folder, good for a URL pattern that is relative to the file's URL (§2.1.1).
    var namePattern: String? {
        guard MediaType(mediaType)?.isPage == false, let name = Fingerprint.replaced(in: name) else { return nil }
        // A URL pattern has a use of its own for other characters, and names with hashes have none of them.
        return name.utf8.allSatisfy(Self.isPlain) ? name : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~@*".utf8.contains(byte)
    }
}

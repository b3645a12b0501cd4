import BundleStore

/// Reads the parts of a feed that don't depend on where it came from.
enum FeedReader {
    /// The keys of a feed and of its entries.
    enum Key {
        static let name = "name"
        static let versions = "versions"
        static let version = "version"
        static let source = "src"
        static let size = "size"
        static let digest = "sha256"
        static let channels = "channels"

        /// The keys of a feed that are understood.
        static let ofFeed = [name, versions]
        /// The keys of an entry that are understood.
        static let ofEntry = [version, source, size, digest, channels]
    }

    static func name(of root: JSONElement) throws(BundleError) -> BundleName {
        let element = try root.required(Key.name)
        let text = try element.string()
        guard let name = BundleName(text) else {
            throw element.refused("“\(Printable.text(text))” is not a bundle name")
        }
        return name
    }

    static func entries(of root: JSONElement) throws(BundleError) -> [JSONElement] {
        try root.required(Key.versions).array()
    }

    static func entry(_ element: JSONElement) throws(BundleError) -> FeedEntry {
        FeedEntry(
            version: try version(element.required(Key.version)),
            source: try element.required(Key.source).string(),
            size: try size(element.required(Key.size)),
            digest: try digest(element.required(Key.digest)),
            channels: try element.member(Key.channels).map(channels) ?? [],
            otherMembers: try element.members()
                .filter { !Key.ofEntry.contains($0.key) }
                .map { JSONObject.Member($0.key, $0.element.value) }
        )
    }

    private static func version(_ element: JSONElement) throws(BundleError) -> BundleVersion {
        let text = try element.string()
        guard let version = BundleVersion(text) else {
            throw element.refused("“\(Printable.text(text))” is not a version")
        }
        return version
    }

    private static func size(_ element: JSONElement) throws(BundleError) -> Int64 {
        guard case .number(let number) = element.value else { throw element.mismatch("a number of bytes") }
        guard let size = number.int64, size >= 1 else {
            throw element.refused(
                "“\(Printable.text(number.text))” is not a whole number of bytes from 1 to \(Int64.max)"
            )
        }
        return size
    }

    private static func digest(_ element: JSONElement) throws(BundleError) -> Digest {
        let text = try element.string()
        guard let digest = Digest(hex: text) else {
            throw element.refused("“\(Printable.text(text))” is not a SHA-256 digest of 64 hexadecimal digits")
        }
        return digest
    }

    private static func channels(_ element: JSONElement) throws(BundleError) -> [String] {
        try element.array()
            .map { (element) throws(BundleError) -> String in
                let channel = try element.string()
                guard !channel.isEmpty else { throw element.refused("is an empty channel name") }
                return channel
            }
    }
}

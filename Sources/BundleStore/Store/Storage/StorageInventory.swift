/// What the catalog refers to, with its sizes, in the order in which it would be given up for something new. A value.
struct StorageInventory: Sendable {
    /// A kept response.
    struct Response: Sendable {
        let id: Int64
        let byteCount: Int64
    }

    /// A release and the files that it needs, by name.
    struct Holding: Sendable {
        let id: Int64
        let files: Set<String>
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
    }

    /// The oldest first.
    var responses: [Response] = []
    /// The one whose activation is longest ago first.
    var releases: [Holding] = []
    /// The lengths in bytes of the releases' files, by name.
    var byteCounts: [String: Int64] = [:]

    /// The bytes of everything, a file that several releases need counted once.
    var byteCount: Int64 { contentByteCount + responses.reduce(0) { $0 + $1.byteCount } }

    /// The bytes of the releases' files.
    var contentByteCount: Int64 {
        Set(releases.flatMap(\.files)).reduce(0) { $0 + (byteCounts[$1] ?? 0) }
    }
}

/// What a store would hold after pruning, in the order in which it would be removed to make room. A value.
struct StorageInventory: Sendable {
    /// A cached response.
    struct Response: Sendable {
        let id: Int64
        let byteCount: Int64
    }

    /// A release.
    struct Holding: Sendable {
        let id: Int64
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
        /// The bytes that are freed when it is removed after those before it.
        var byteCount: Int64
    }

    /// Oldest first.
    var responses: [Response] = []
    /// Least recently activated first.
    var releases: [Holding] = []

    /// The total number of bytes.
    var byteCount: Int64 {
        responses.reduce(0) { $0 + $1.byteCount } + releases.reduce(0) { $0 + $1.byteCount }
    }
}

/// What a store would have once it is pruned, in the order in which that would be given up for something new. A value.
struct StorageInventory: Sendable {
    /// A kept response.
    struct Response: Sendable {
        let id: Int64
        let byteCount: Int64
    }

    /// A release.
    struct Holding: Sendable {
        let id: Int64
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
        /// The bytes that nothing needs any more when it goes after those before it.
        var byteCount: Int64
    }

    /// The oldest first.
    var responses: [Response] = []
    /// The one whose activation is longest ago first.
    var releases: [Holding] = []

    /// The bytes of everything.
    var byteCount: Int64 {
        responses.reduce(0) { $0 + $1.byteCount } + releases.reduce(0) { $0 + $1.byteCount }
    }
}

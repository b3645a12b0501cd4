/// How many event streams there may be. A value type.
struct EventStreamLimits: Sendable {
    /// How often each stream gets a comment, so that proxies keep it open and closed ones are noticed.
    static let heartbeat: Duration = .seconds(15)

    /// How many may be open.
    let count: Int
    /// How many of one client.
    let countPerClient: Int
    /// How many events wait for a client that takes none; the oldest are dropped, since each tells the whole state.
    let heldCount: Int
}

import Synchronization

/// Says whether a stored response still stands: what was made from it is used only while it does.
///
/// It is revoked when the response is replaced, freshened, invalidated or removed, but not when it merely leaves memory.
/// Thread-safe.
final class EntryValidity: Sendable {
    private let flag = Atomic(false)

    /// Whether the response was revoked. Never becomes false again.
    var isRevoked: Bool { flag.load(ordering: .acquiring) }

    func revoke() {
        flag.store(true, ordering: .releasing)
    }
}

import BundleServing
import BundleStore
import Synchronization

/// Says whether a stored response still stands: what was made from it is used only while it does.
///
/// It is revoked when the response is replaced, freshened, invalidated or removed, here or by another process, and when
/// another version of its bundle becomes active; but not when it merely leaves memory. Thread-safe.
final class EntryValidity: Revocable {
    private let flag = Atomic(false)
    private let row: CachedRow
    let space: ReleaseSpace
    private let changes: CacheChanges
    private let removals: Int
    /// The round of eviction in which a use was noted last.
    private let notedRound = Atomic(-1)

    /// - Parameter removals: What ``BundleStore/CacheChanges/removals`` was before the response was read.
    init(_ row: CachedRow, in space: ReleaseSpace, _ changes: CacheChanges, removals: Int) {
        self.row = row
        self.space = space
        self.changes = changes
        self.removals = removals
    }

    /// Whether the response was revoked. Never becomes false again.
    var isRevoked: Bool {
        flag.load(ordering: .acquiring) || space.isRevoked || changes.removals != removals || row.state == .refused
    }

    /// For another state of the same entry. Nothing that revokes this one alone revokes it.
    var renewed: EntryValidity { EntryValidity(row, in: space, changes, removals: removals) }

    func revoke() {
        flag.store(true, ordering: .releasing)
    }

    /// Notes a use, unless that was done in this round of eviction: a look-up costs a comparison.
    ///
    /// - Parameter note: Returns whether it was noted.
    func noteUse(in round: Int, _ note: () -> Bool) {
        guard notedRound.load(ordering: .relaxed) != round, note() else { return }
        notedRound.store(round, ordering: .relaxed)
    }
}

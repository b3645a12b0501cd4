import Synchronization

/// The row of a cached response in the catalog, also before it is written. Thread-safe.
package final class CachedRow: Sendable {
    /// Where the response is.
    package enum State: Equatable, Sendable {
        /// It will be written.
        case pending
        /// It has this number.
        case written(Int64)
        /// It couldn't be written, or was removed.
        case absent
        /// It must not be used any more: another version of its bundle has become active before it was written.
        case refused
    }

    private static let (pending, absent, refused): (Int64, Int64, Int64) = (0, -1, -2)

    private let value: Atomic<Int64>

    package init() {
        value = Atomic(Self.pending)
    }

    init(_ id: Int64) {
        value = Atomic(id)
    }

    package var state: State {
        switch value.load(ordering: .acquiring) {
        case Self.pending: .pending
        case Self.absent: .absent
        case Self.refused: .refused
        case let id: .written(id)
        }
    }

    /// Its number; nil when it isn't in the catalog.
    package var id: Int64? {
        if case .written(let id) = state { id } else { nil }
    }

    func set(_ state: State) {
        let new =
            switch state {
            case .pending: Self.pending
            case .absent: Self.absent
            case .refused: Self.refused
            case .written(let id): id
            }
        value.store(new, ordering: .releasing)
    }
}

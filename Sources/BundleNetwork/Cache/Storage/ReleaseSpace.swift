import Synchronization

/// What is stored under one release, for as long as it is active. Thread-safe.
final class ReleaseSpace: Sendable {
    let number: Int
    private let release: ReleaseIdentity
    private let flag = Atomic(false)

    init(_ number: Int, _ release: ReleaseIdentity) {
        self.number = number
        self.release = release
    }

    var isRevoked: Bool { flag.load(ordering: .acquiring) }

    func revoke() {
        flag.store(true, ordering: .releasing)
    }

    /// Whether it is the space of a release.
    func belongs(to other: ReleaseIdentity) -> Bool { release == other }

    /// Whether it is of a later activation than a release.
    func isLater(than other: ReleaseIdentity) -> Bool { release.activation > other.activation }
}

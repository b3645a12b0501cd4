import Synchronization

/// The identity for new connections; open ones keep theirs. Thread-safe.
package final class TLSIdentitySource: Sendable {
    private let identity: Mutex<TLSIdentity>

    package init(_ identity: TLSIdentity) {
        self.identity = Mutex(identity)
    }

    var current: TLSIdentity { identity.withLock { $0 } }

    func replace(with identity: TLSIdentity) {
        self.identity.withLock { $0 = identity }
    }
}

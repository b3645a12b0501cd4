import BundleStore

/// Which releases were active when a client last looked. A value type.
struct ActivationState {
    private struct Active: Equatable {
        let version: BundleVersion
        /// Differs when the same version was activated again, or replaced.
        let activation: Int64?
    }

    private var active: [BundleName: Active]
    private var revision: Int64

    init(_ snapshot: StoreSnapshot) {
        active = Self.active(in: snapshot)
        revision = snapshot.revision
    }

    /// Takes a later snapshot.
    ///
    /// - Returns: What has changed since the one before, by name.
    mutating func take(_ snapshot: StoreSnapshot) -> [Activation] {
        // Another thread may have been faster.
        guard snapshot.revision > revision else { return [] }
        revision = snapshot.revision
        let (before, now) = (active, Self.active(in: snapshot))
        active = now
        return Set(before.keys).union(now.keys).sorted().filter { before[$0] != now[$0] }.map { name in
            Activation(name: name, previous: before[name]?.version, version: now[name]?.version)
        }
    }

    private static func active(in snapshot: StoreSnapshot) -> [BundleName: Active] {
        snapshot.bundles.compactMapValues { bundle in
            bundle.activeVersion.map { Active(version: $0, activation: bundle.active?.activationNumber) }
        }
    }
}

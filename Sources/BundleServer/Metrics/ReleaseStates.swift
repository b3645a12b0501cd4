import BundleStore

/// The states of a bundle's releases. Several may hold for one release, and for one that was never activated none may. A value
/// type; pure.
struct ReleaseStates: Sendable {
    enum State: String, CaseIterable, Sendable {
        /// It has been active, and needs no confirmation or got it.
        case confirmed
        /// It is active, and has yet to be confirmed.
        case onTrial = "on_trial"
        /// It was marked bad.
        case bad
        /// It is higher than the active one, and updates don't install it: it was left.
        case held
        /// Its publisher has revoked it.
        case revoked
        /// It must not be used because a higher version is critical.
        case outdated
    }

    /// The largest number of releases of a bundle: each is a label.
    static let maximumCount = 16

    /// The states of each version, those with something unusual first.
    let versions: [(version: String, states: Set<State>)]

    /// - Parameters:
    ///   - held: The version that updates must exceed, besides the active one.
    ///   - bad: The versions that were marked bad.
    init(_ bundle: InstalledBundle, held: BundleVersion?, bad: Set<String>) {
        let installed = bundle.releases + bundle.damaged
        var versions = installed.map { release in
            (release.version.string, Self.states(of: release, in: bundle, held: held, bad: bad))
        }
        if let held, Self.isHeld(held, by: held, in: bundle),
            !installed.contains(where: { $0.version.string == held.string })
        {
            versions.append((held.string, [.held]))
        }
        let unusual = versions.filter { !$0.1.isSubset(of: [.confirmed]) }
        let usual = versions.filter { $0.1.isSubset(of: [.confirmed]) }
        self.versions = Array((unusual + usual).prefix(Self.maximumCount))
    }

    private static func states(
        of release: Release,
        in bundle: InstalledBundle,
        held: BundleVersion?,
        bad: Set<String>
    ) -> Set<State> {
        let version = release.version
        let withdrawal = bundle.withdrawal(of: version)?.reason
        let isOnTrial = release.state == .active && bundle.probationTerms != nil
        let isBad = bad.contains(version.string)
        let isUnconfirmed = bundle.lifecycle.unconfirmed.contains(version.string)
        let conditions: [(State, Bool)] = [
            (.confirmed, release.state != .installed && !isOnTrial && !isBad && !isUnconfirmed), (.onTrial, isOnTrial),
            (.bad, isBad), (.held, held.map { isHeld(version, by: $0, in: bundle) } ?? false),
            (.revoked, withdrawal == .revoked), (.outdated, withdrawal == .critical),
        ]
        return Set(conditions.filter(\.1).map(\.0))
    }

    private static func isHeld(_ version: BundleVersion, by held: BundleVersion, in bundle: InstalledBundle) -> Bool {
        version <= held && bundle.activeVersion.map { $0 < version } ?? true
    }

    /// Writes a sample for each state of each release, 1 or 0.
    func write(of name: BundleName, to page: inout MetricPage) {
        for (version, states) in versions {
            for state in State.allCases {
                page.sample(
                    [("bundle", name.string), ("version", version), ("state", state.rawValue)],
                    states.contains(state) ? 1 : 0
                )
            }
        }
    }
}

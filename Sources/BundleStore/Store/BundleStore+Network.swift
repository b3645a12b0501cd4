import Foundation

extension BundleStore {
    /// Whether the operator has said that the link is metered; nil when nothing was said.
    public func meteredSetting() throws -> Bool? {
        try StoreAccess.run(at: path) { try catalog.network.meteredSetting() }
    }

    /// Says whether the link is metered. Running endpoints of this store see it within a second, and it outlives them.
    ///
    /// - Parameter isMetered: Nil to say nothing.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    public func setMetered(_ isMetered: Bool?) throws {
        try StoreAccess.run(at: path) { try catalog.network.setMetered(isMetered) }
    }

    /// The last attempts to fetch what a release names in `precache`, by URL; those that were never tried are missing.
    package func precacheAttempts(of name: BundleName, _ version: BundleVersion) throws -> [String: PrecacheAttempt] {
        try StoreAccess.run(at: path) { try catalog.network.precacheAttempts(of: name, version, now: now()) }
    }

    /// Records attempts, by URL. Those of a release that has been removed are dropped.
    package func recordPrecache(
        _ attempts: [String: PrecacheAttempt],
        of name: BundleName,
        _ version: BundleVersion
    ) throws {
        guard !attempts.isEmpty else { return }
        try StoreAccess.run(at: path) { try catalog.network.recordPrecache(attempts, of: name, version) }
    }

    /// What endpoints have seen of the origins, by name, and when that was written.
    package func originStates() throws -> [(state: OriginState, notedAt: Date)] {
        try StoreAccess.run(at: path) { try catalog.network.originStates() }
    }

    /// Records what an endpoint has seen of origins. The others' states stay; of more than 256 the oldest are dropped.
    package func recordOriginStates(_ states: [OriginState]) throws {
        guard !states.isEmpty else { return }
        try StoreAccess.run(at: path) { try catalog.network.recordOriginStates(states, at: now()) }
    }
}

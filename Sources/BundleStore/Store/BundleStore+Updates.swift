/// What is remembered of updates.
extension BundleStore {
    /// The state of a bundle's update checks, or nil when there is no such bundle.
    public func updateState(of name: BundleName) throws -> UpdateState? {
        try StoreAccess.run(at: path) { try catalog.updateStates.state(of: name, now: now()) }
    }

    /// Puts a bundle on hold, so that updates leave it as it is, or ends that. For a bundle that isn't on hold, ending it lets
    /// updates return to a version that was left by a rollback, or because it was bad.
    ///
    /// - Parameters:
    ///   - isOnHold: Whether updates leave the bundle as it is.
    ///   - name: The bundle.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle, otherwise as
    ///   ``activate(_:_:permittingOverlapWith:waits:)``.
    public func setHold(_ isOnHold: Bool, _ name: BundleName, waits: Bool = false) throws {
        try changing(name, waits: waits) { _ in try catalog.updateStates.setHold(isOnHold, name) }
    }

    /// Counts that a bundle's feed was requested now, and records it, unless a request of the last day with the same outcome is
    /// recorded. Only what is recorded survives each power failure.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - failure: Why the request failed, or nil when it succeeded.
    ///   - reason: The same for its count.
    package func recordCheck(of name: BundleName, failure: String?, reason: UpdateFailureReason = .other) throws {
        try StoreAccess.run(at: path) {
            try catalog.updateStates.recordCheck(of: name, at: now(), failure: failure, reason: reason)
        }
    }

    /// Records which versions a bundle's feed offers to this installation.
    ///
    /// - Parameter versions: The highest first; of more than ``UpdateFigures/maximumOfferCount`` the others are left out.
    package func recordOffer(_ versions: [BundleVersion], of name: BundleName) throws {
        try StoreAccess.run(at: path) { try catalog.figures.recordOffer(versions, of: name) }
    }

    /// What has come of the bundles' releases and updates, in numbers.
    package func updateFigures() throws -> [BundleName: UpdateFigures] {
        try StoreAccess.run(at: path) { try catalog.figures.figures(now: now()) }
    }

    /// Lets no rollback lead to a version, until it is activated otherwise.
    package func leave(_ name: BundleName, _ version: BundleVersion) throws {
        try StoreAccess.run(at: path) { try catalog.lifecycles.leave([version], of: name) }
        try refresh()
    }

    /// The store's identifier. The first call makes it, and the first call on another machine replaces it: its disk is a copy.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when there is none and the store can't be
    ///   written.
    package func installationIdentifier(
        on machine: MachineFingerprint? = .current
    ) throws -> InstallationIdentifier {
        try StoreAccess.run(at: path) {
            let recorded = try catalog.installation.recorded()
            if let recorded, machine == nil || recorded.machine == machine?.string { return recorded.identifier }
            do {
                return try catalog.installation.record(.random(), on: machine)
            } catch {
                // A store that can only be read may be of a time before machines were told apart.
                guard let recorded, recorded.machine == nil else { throw error }
                return recorded.identifier
            }
        }
    }

    /// Forgets the store's identifier: the next call for it makes another, also in each copy of the store.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    package func forgetInstallationIdentifier() throws {
        try StoreAccess.run(at: path) { try catalog.installation.forget() }
    }
}

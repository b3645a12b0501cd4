import Foundation

/// What is remembered of updates.
extension BundleStore {
    /// The state of a bundle's update checks, or nil when there is no such bundle.
    public func updateState(of name: BundleName) throws -> UpdateState? {
        try Self.accessing(path) { try catalog.updateState(of: name, now: now()) }
    }

    /// Puts a bundle on hold, so that updates leave it as it is, or ends that. For a bundle that isn't on hold, ending it lets
    /// updates return to a version that was left by a rollback, or because it was bad.
    ///
    /// - Parameters:
    ///   - isOnHold: Whether updates leave the bundle as it is.
    ///   - name: The bundle.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle, otherwise as
    ///   ``activate(_:_:permittingOverlapWith:waits:)``.
    public func setHold(_ isOnHold: Bool, _ name: BundleName, waits: Bool = false) throws {
        try changing(name, waits: waits) { _ in try catalog.setHold(isOnHold, name) }
    }

    /// Records that a bundle's feed was requested now, unless a request of the last day with the same outcome is recorded.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - failure: Why the request failed, or nil when it succeeded.
    package func recordCheck(of name: BundleName, failure: String?) throws {
        try Self.accessing(path) { try catalog.recordCheck(of: name, at: now(), failure: failure) }
    }

    /// The highest sequence number that a bundle's feed has had; nil when none was seen.
    ///
    /// - Parameter feed: The feed's URL.
    package func highestSequence(of name: BundleName, feed: String) throws -> Int64? {
        try Self.accessing(path) { try catalog.highestSequence(of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// Records the sequence number of a feed, unless a higher one is recorded.
    ///
    /// - Parameters:
    ///   - sequence: The number, 1 or more.
    ///   - feed: The feed's URL.
    package func recordSequence(_ sequence: Int64, of name: BundleName, feed: String) throws {
        try Self.accessing(path) {
            try catalog.recordSequence(sequence, of: name, feed: Digest(of: Array(feed.utf8)), at: now())
        }
    }

    /// Forgets the sequence numbers of a feed, so that any is accepted next.
    ///
    /// - Parameter feed: The feed's URL.
    package func forgetSequence(of name: BundleName, feed: String) throws {
        try Self.accessing(path) { try catalog.forgetSequence(of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// The archives of a bundle that were fetched and can't be used: the latest 32, oldest first.
    package func failedReleases(of name: BundleName) throws -> [FailedRelease] {
        try Self.accessing(path) { try catalog.failedReleases(of: name) }
    }

    /// Records an archive that was fetched and can't be used.
    ///
    /// - Parameter reason: Why it can't be used.
    package func recordFailure(of name: BundleName, _ version: BundleVersion, _ digest: Digest, reason: String) throws {
        let failure = FailedRelease(version: version, digest: digest, reason: reason, date: now())
        try Self.accessing(path) { try catalog.recordFailure(failure, of: name) }
    }

    /// Forgets the failed archives of a bundle, so that they are fetched again.
    package func forgetFailures(of name: BundleName) throws {
        try Self.accessing(path) { try catalog.forgetFailures(of: name) }
    }

    /// Lets no rollback lead to a version, until it is activated otherwise.
    package func leave(_ name: BundleName, _ version: BundleVersion) throws {
        try Self.accessing(path) { try catalog.leave([version], of: name) }
        try refresh()
    }

    /// The store's identifier. The first call makes it, and the first call on another machine replaces it: its disk is a copy.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when there is none and the store can't be
    ///   written.
    package func installationIdentifier(
        on machine: MachineFingerprint? = .current
    ) throws -> InstallationIdentifier {
        try Self.accessing(path) {
            let recorded = try catalog.installation()
            if let recorded, machine == nil || recorded.machine == machine?.string { return recorded.identifier }
            do {
                return try catalog.recordInstallation(.random(), on: machine)
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
        try Self.accessing(path) { try catalog.forgetInstallation() }
    }
}

/// The state of a bundle's update checks.
public struct UpdateState: Sendable, Equatable {
    /// After a rollback or the activation of a lower version, the highest version that was left: updates install only
    /// higher ones. Nil otherwise.
    public let heldVersion: BundleVersion?
    /// Whether updates leave the bundle as it is; see ``BundleStore/setHold(_:_:waits:)``.
    public let isOnHold: Bool
    /// The feed that the operator has chosen; nil for the one that the manifest names.
    public let chosenFeed: ChosenFeed?
    /// When the feed was last requested, or first in a day of requests with the same outcome; nil when it never was, or
    /// when the recorded time is more than five minutes in the future.
    public let checkedAt: Date?
    /// Why the last check or update failed, or why it found a release that can't be used; nil otherwise.
    public let lastFailure: String?
}

/// The feed that a bundle follows by the operator's choice, in place of the one that its manifest names. A value type; safe to
/// share between threads.
public struct ChosenFeed: Equatable, Sendable {
    /// The feed's URL.
    public let url: String
    /// The channel; nil for the one that the manifest names.
    public let channel: String?

    /// Takes the values as they are.
    package init(url: String, channel: String?) {
        self.url = url
        self.channel = channel
    }
}

/// A release whose archive was fetched whole and can't be used. A value type; safe to share between threads.
package struct FailedRelease: Equatable, Sendable {
    /// The version that the feed gave it.
    package let version: BundleVersion
    /// The archive's SHA-256.
    package let digest: Digest
    /// Why it can't be used.
    package let reason: String
    /// When that was found.
    package let date: Date

    package init(version: BundleVersion, digest: Digest, reason: String, date: Date) {
        self.version = version
        self.digest = digest
        self.reason = reason
        self.date = date
    }
}

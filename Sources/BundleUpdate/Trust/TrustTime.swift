import BundleStore
import BundleTrust
import Foundation

/// The time against which signed documents expire. Pure, but for ``now(in:_:)``.
enum TrustTime {
    /// The time by the store's clock, as far as there is one.
    ///
    /// - Throws: What `keeper` throws; ``/BundleModel/BundleError`` when the store can't be read.
    static func now(in store: BundleStore, _ keeper: any MetadataKeeper) throws -> Date {
        let clock = try store.trustClock() == .machine ? store.now() : nil
        return try now(clock, keeper, earliest: store.earliestDate)
    }

    /// The latest of the machine's time, the time at which the timestamp that was accepted last was signed, and `earliest`: a clock that
    /// was set back, or that doesn't go on without power, brings no earlier state back.
    ///
    /// - Parameters:
    ///   - clock: The machine's time; nil on a device without a clock.
    ///   - earliest: What is past in any case.
    /// - Throws: What `keeper` throws.
    static func now(_ clock: Date?, _ keeper: any MetadataKeeper, earliest: Date = .distantPast) throws -> Date {
        [clock, try signedAt(keeper), earliest].compactMap(\.self).max() ?? earliest
    }

    /// When the timestamp that was accepted last was signed. A timestamp that doesn't count any more, since the root has other keys,
    /// doesn't count here either.
    private static func signedAt(_ keeper: any MetadataKeeper) throws -> Date? {
        guard let root = try keeper.document(of: .root), let timestamp = try keeper.document(of: .timestamp),
            var state = try? TrustedState(anchor: root), (try? state.restoreTimestamp(timestamp)) != nil
        else { return nil }
        return state.timestamp?.signedAt
    }
}

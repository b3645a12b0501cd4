import BundleStore
import BundleTrust
import Foundation

/// The time against which signed documents expire.
enum TrustTime {
    /// The time by the store's clock, as far as there is one, or what is past in any case.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when the store can't be read.
    static func clock(of store: BundleStore) throws -> Date {
        clock(try store.trustClock() == .machine ? store.now() : nil, earliest: store.earliestDate)
    }

    /// - Parameters:
    ///   - machine: The machine's time; nil on a device without a clock.
    ///   - earliest: What is past in any case.
    static func clock(_ machine: Date?, earliest: Date) -> Date { max(machine ?? earliest, earliest) }

    /// The time for what is trusted already: that of the clock, or of the timestamp that was accepted last, as of `TrustWorkflow`.
    ///
    /// - Throws: What `keeper` throws; as ``clock(of:)``.
    static func now(in store: BundleStore, _ keeper: any MetadataKeeper) throws -> Date {
        try now(clock(of: store), keeper)
    }

    /// - Parameter clock: The time by the clock.
    static func now(_ clock: Date, _ keeper: any MetadataKeeper) throws -> Date {
        max(clock, try signedAt(keeper) ?? clock)
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

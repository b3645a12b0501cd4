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

    /// The time for what is trusted already: that of the clock, or of the timestamp that was accepted last, as of `TrustWorkflow`. A
    /// timestamp that doesn't count any more, since the root has other keys, doesn't count here either.
    ///
    /// - Throws: As ``clock(of:)``.
    static func now(in store: BundleStore, after state: TrustedState?) throws -> Date {
        try now(clock(of: store), after: state)
    }

    /// - Parameter clock: The time by the clock.
    static func now(_ clock: Date, after state: TrustedState?) -> Date {
        max(clock, state?.timestamp?.signedAt ?? clock)
    }
}

import OfflineBundles

/// What the loads of pages say of a release: it works when one of its pages was loaded, and has gone on working for a while.
/// A value type; pure.
struct LoadTrial: Equatable, Sendable {
    /// How long a page has to go on working at most.
    private static let maximumPeriod: Duration = .seconds(3)

    /// The version that was active when the page began to load.
    private var version: BundleVersion?
    /// Whether the page has loaded.
    private var isLoaded = false
    /// Counts the loads, and what ended their trials.
    private var number = 0

    /// How long a page of a release has to go on working: not as long that the release could be taken back meanwhile.
    static func period(for terms: HealthTerms?) -> Duration {
        min(maximumPeriod, terms.map { Duration.seconds($0.withinSeconds) / 4 } ?? maximumPeriod)
    }

    /// Takes that a page begins to load. One that has become active since isn't the page's.
    mutating func begin(with active: BundleVersion?) {
        end()
        version = active
    }

    /// Takes that a page has loaded.
    ///
    /// - Parameter showsRelease: Says whether it is a page of a version.
    /// - Returns: The trial's number, for ``result(of:)`` after the period; nil when there is none.
    mutating func finish(_ showsRelease: (BundleVersion) -> Bool) -> Int? {
        guard let version, showsRelease(version) else {
            end()
            return nil
        }
        isLoaded = true
        return number
    }

    /// Takes that the page's process has ended, or that it couldn't be loaded.
    mutating func end() {
        (version, isLoaded) = (nil, false)
        number += 1
    }

    /// The version that works, once; nil when something has ended the trial.
    ///
    /// - Parameter number: Nil for the trial of the page that is shown now, when its time is cut short by the user.
    mutating func result(of number: Int?) -> BundleVersion? {
        guard isLoaded, number.map({ $0 == self.number }) ?? true else { return nil }
        let version = version
        end()
        return version
    }
}

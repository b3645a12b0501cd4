import BundleModel
import BundleServing
import BundleStore
import BundleWebKit
import HTTPCore
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

/// What becomes of the page in the window.
enum LoadEvent: Equatable, Sendable {
    case began
    /// It has loaded from a URL, with the status of its response; 0 when there is none.
    case finished(url: String, status: Int)
    /// It can't be loaded, or its process has ended.
    case failed
}

/// Whether what a window shows is a page of a release. Pure.
enum ReleasePage {
    /// A page of the bundle that it doesn't have, one of another origin, and the offline page say nothing of the release.
    ///
    /// - Parameters:
    ///   - url: The page's, after redirects.
    ///   - status: The status of its response.
    ///   - version: The version that has to be active.
    static func isShown(
        _ url: String,
        status: Int,
        of name: BundleName,
        _ version: BundleVersion,
        in snapshot: StoreSnapshot
    ) -> Bool {
        guard status == 200, let release = snapshot.bundles[name]?.active, release.version.string == version.string,
            let target = address(of: url, release).flatMap(RequestTarget.init(url:)),
            let match = ResourceResolver(snapshot).match(target, isNavigation: true), match.release.name == name,
            case .found = match.outcome
        else { return false }
        return true
    }

    /// The URL at the bundle's origin; nil for another bundle's.
    private static func address(of url: String, _ release: Release) -> String? {
        guard let own = BundleSchemeURL(url) else { return url }
        return own.name == release.name ? own.url(in: release.manifest.origins) : nil
    }
}

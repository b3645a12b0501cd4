import Foundation

/// The version of this package. It stands here and nowhere else: a build needs neither git nor the change log, which has
/// a heading for each version that is released.
package enum ProductVersion {
    /// A semantic version: `1.4.0`.
    package static let string = "0.1.0"
    /// A day on which this version was there already, 2026-11-28: the time is later, also where a device's clock says otherwise. Raised with
    /// the version; it stands here and isn't the day of the build, so that builds of the same source are the same.
    package static let releaseDate = Date(timeIntervalSince1970: 1_795_824_000)
}

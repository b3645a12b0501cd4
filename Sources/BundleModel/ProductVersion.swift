/// The version of this package. It stands here and nowhere else: a build needs neither git nor the change log, which has
/// a heading for each version that is released.
package enum ProductVersion {
    /// A semantic version: `1.4.0`.
    package static let string = "0.1.0"
}

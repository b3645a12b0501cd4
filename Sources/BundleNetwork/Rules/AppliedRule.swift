import BundleStore

/// A rule with its place, so that it can be named. A value type; safe to share between threads.
package struct AppliedRule: Equatable, Sendable, CustomStringConvertible {
    /// Who has written the rule.
    package enum Source: Equatable, Sendable {
        /// The operator, for all bundles; the folder of the file, in which its mocks lie.
        case file(name: String, folder: String)
        /// The bundle's manifest.
        case manifest
    }

    /// Who has written it.
    package let source: Source
    /// Its position in the list.
    package let index: Int
    /// The rule.
    package let rule: NetworkRule

    /// Where it is written: `bundle.json: network.rules[2]`.
    package var description: String {
        switch source {
        case .file(let name, _): "\(name): rules[\(index)]"
        case .manifest: "\(BundleManifest.fileName): network.rules[\(index)]"
        }
    }
}

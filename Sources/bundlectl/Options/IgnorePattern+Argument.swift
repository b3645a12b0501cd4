import ArgumentParser
import BundleInstall
import BundlePublishing

extension IgnorePattern: ExpressibleByArgument {
    /// Nil for an empty pattern, and for a comment.
    public init?(argument: String) { self.init(argument) }
}

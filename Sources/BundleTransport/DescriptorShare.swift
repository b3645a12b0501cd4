import BundleModel

/// The part of the process's open files that connections to origins may take.
enum DescriptorShare {
    /// No server has a use for more.
    private static let maximumCount = 8_192

    /// The number of connections: half of the current limit of open files.
    static var connectionCount: Int {
        OpenFileLimit.current.map { max(2, min($0 / 2, maximumCount)) } ?? 512
    }
}

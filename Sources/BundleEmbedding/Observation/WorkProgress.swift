import BundleStore

/// How far an installation or an update is. A value type; safe to share between threads.
public struct WorkProgress: Hashable, Sendable {
    /// What is being done.
    public enum Work: Hashable, Sendable {
        /// An archive is being installed.
        case installation(archive: String)
        /// A bundle is being updated.
        case update(BundleName)
    }

    /// What is being done.
    public let work: Work
    /// The bytes of the archive that are done; an update counts them twice, see
    /// ``/BundleNetwork/Updater/update(_:feed:options:progress:willFetch:)``.
    public let bytes: ByteProgress
}

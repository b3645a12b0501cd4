/// What a repair did. A value type; safe to share between threads.
public struct RepairReport: Sendable {
    /// Something that is right again.
    public struct Mended: Sendable {
        /// The bundle.
        public let name: BundleName
        /// The version.
        public let version: BundleVersion
        /// The file, or nil when the release was installed again as a whole.
        public let path: String?
        /// Where the bytes came from: `store`, an archive's path, or a URL.
        public let source: String
    }

    /// What is right again, in the order of the releases and of the paths.
    public let mended: [Mended]
    /// What is wrong still.
    public let damage: [StoreDamage]
}

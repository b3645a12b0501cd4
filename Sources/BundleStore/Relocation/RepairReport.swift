/// What a repair did. A value type; safe to share between threads.
public struct RepairReport: Sendable {
    /// Something that is right again.
    public struct Repaired: Sendable, Hashable, CustomStringConvertible {
        /// What was done.
        public enum Action: String, Sendable {
            /// It has been put right.
            case repaired
            /// The release was installed again as a whole.
            case reinstalled
            /// It was removed, since nothing can be done with it.
            case dropped
        }

        /// What was done.
        public let action: Action
        /// The bundle; nil when what was dropped doesn't tell, or when none is concerned.
        public let name: BundleName?
        /// The version; nil likewise.
        public let version: BundleVersion?
        /// The file, or nil when it isn't one.
        public let path: String?
        /// What was dropped, or repaired in the catalog, for a person; nil when the other properties say it.
        public let item: String?
        /// Where what is right came from: `store`, an archive's path, a URL, or a part of the store; nil for what was dropped or
        /// recreated.
        public let source: String?

        /// One line: `repaired shop@1.0.0 index.html from store`.
        public var description: String {
            let release = name.map { "\($0)\(version.map { "@\($0)" } ?? "")" }
            let parts = [action.rawValue, release, path, item, source.map { "from \($0)" }]
            return Printable.line(parts.compactMap(\.self).joined(separator: " "))
        }
    }

    /// A place where the right bytes were looked for.
    public struct Attempt: Sendable, Hashable, CustomStringConvertible {
        /// An archive's path, a URL, or a part of the store.
        public let place: String
        /// What came of it, a phrase for a person.
        public let outcome: String

        /// One line: `tried shop-1.0.0.zip: 0 of 2 missing contents`.
        public var description: String { "tried \(place): \(outcome)" }
    }

    /// What is right again, in the order of the releases and of the paths.
    public let repaired: [Repaired]
    /// What is wrong still.
    public let damage: [StoreDamage]
    /// The places that were tried, in that order.
    public let attempts: [Attempt]
}

extension RepairReport.Repaired {
    /// A file of a release, or without a path what the catalog knows of the release.
    init(_ name: BundleName, _ version: BundleVersion, path: String? = nil, item: String? = nil, source: String) {
        self.init(action: .repaired, name: name, version: version, path: path, item: item, source: source)
    }

    /// What concerns no bundle and is recreated.
    init(repaired item: String) {
        self.init(action: .repaired, name: nil, version: nil, path: nil, item: item, source: nil)
    }

    init(reinstalled name: BundleName, _ version: BundleVersion, source: String) {
        self.init(action: .reinstalled, name: name, version: version, path: nil, item: nil, source: source)
    }

    init(dropped item: String, _ name: BundleName?, _ version: BundleVersion?) {
        self.init(action: .dropped, name: name, version: version, path: nil, item: item, source: nil)
    }
}

/// The result of a repair. A value type; safe to share between threads.
public struct RepairReport: Sendable {
    /// Something that was repaired.
    public struct Repaired: Sendable, Hashable, CustomStringConvertible {
        /// What was done.
        public enum Action: String, Sendable {
            /// It was repaired in place.
            case repaired
            /// The whole release was installed again.
            case reinstalled
            /// It was removed because it can't be repaired.
            case dropped
        }

        /// What was done.
        public let action: Action
        /// The bundle; nil when the dropped item doesn't name one or doesn't belong to one.
        public let name: BundleName?
        /// The version; nil in the same cases.
        public let version: BundleVersion?
        /// The file, or nil when it isn't a file.
        public let path: String?
        /// What was dropped, or repaired in the catalog, as text; nil when the other properties say it.
        public let item: String?
        /// The source of the repair: `store`, an archive's path, a URL, or a part of the store; nil for what was
        /// dropped or recreated.
        public let source: String?

        /// One line: `repaired shop@1.0.0 index.html from store`.
        public var description: String {
            let release = name.map { "\($0)\(version.map { "@\($0)" } ?? "")" }
            let parts = [action.rawValue, release, path, item, source.map { "from \($0)" }]
            return Printable.line(parts.compactMap(\.self).joined(separator: " "))
        }
    }

    /// A place that was searched for the right bytes.
    public struct Attempt: Sendable, Hashable, CustomStringConvertible {
        /// An archive's path, a URL, or a part of the store.
        public let place: String
        /// The outcome, as a phrase for a message.
        public let outcome: String

        /// One line: `tried shop-1.0.0.zip: 0 of 2 missing contents`.
        public var description: String { "tried \(place): \(outcome)" }
    }

    /// What was repaired, in the order of releases and paths.
    public let repaired: [Repaired]
    /// The remaining damage.
    public let damage: [StoreDamage]
    /// The places that were tried, in order.
    public let attempts: [Attempt]
}

extension RepairReport.Repaired {
    /// A file of a release, or without a path the catalog's record of the release.
    init(_ name: BundleName, _ version: BundleVersion, path: String? = nil, item: String? = nil, source: String) {
        self.init(action: .repaired, name: name, version: version, path: path, item: item, source: source)
    }

    /// A recreated item that belongs to no bundle.
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

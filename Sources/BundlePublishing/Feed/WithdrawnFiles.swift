import BundleStore
import Foundation

/// The files that a feed has named and no longer does. They stay for a while: a client, or a cache on the way to it, may
/// still have the feed before, and would find nothing where that leads.
///
/// A list in the folder says since when. A value type; safe to share between threads.
struct WithdrawnFiles: Equatable, Sendable {
    /// The list's name in the folder. Clients don't read it.
    static let fileName = "feed.withdrawn.json"
    /// How long a file stays, in seconds: a day.
    static let period: TimeInterval = 86_400
    /// How many files of releases stay; of more, those go that have been there for longest.
    static let maximumCount = 100
    /// How many documents stay, which are small.
    static let maximumDocumentCount = 1_000
    /// The longest list in bytes.
    private static let maximumByteCount = 256 << 10

    /// Since when the feed doesn't name a file, in seconds since 1970.
    private var dates: [String: Int64] = [:]

    /// None.
    init() {}

    /// Reads the list of a folder. One that is missing or damaged is empty: then the files stay until a release is published
    /// with pruning.
    init(in folder: String) {
        guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(Self.fileName)"),
            let root = try? JSONElement(
                parsing: Array(bytes),
                named: Self.fileName,
                maximumByteCount: Self.maximumByteCount,
                refusedAs: .invalidArgument
            ), case .object(let object) = root.value
        else { return }
        for member in object.members {
            guard case .number(let number) = member.value, let date = number.int64 else { continue }
            dates[member.key] = date
        }
    }

    /// Their names.
    var names: Set<String> { Set(dates.keys) }

    /// Takes a change of the feed, and gives those up that have stayed for long enough.
    ///
    /// - Parameters:
    ///   - before: The files that the feed named before.
    ///   - named: The files that it names now.
    ///   - present: The files in the folder.
    /// - Returns: Those that can go.
    mutating func advance(
        from before: Set<String>,
        to named: Set<String>,
        present: Set<String>,
        at now: Date
    ) -> Set<String> {
        let now = Int64(now.timeIntervalSince1970)
        for name in before where dates[name] == nil { dates[name] = now }
        dates = dates.filter { present.contains($0.key) && !named.contains($0.key) }
        // A clock that was set back keeps nothing for longer.
        dates = dates.mapValues { min(max(0, $0), now) }
        let oldestFirst = dates.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let names = oldestFirst.map(\.key)
        var expired = Set(oldestFirst.filter { now - $0.value >= Int64(Self.period) }.map(\.key))
        expired.formUnion(names.filter { !MetadataFile.isSuperseded($0) }.dropLast(Self.maximumCount))
        expired.formUnion(names.filter(MetadataFile.isSuperseded).dropLast(Self.maximumDocumentCount))
        dates = dates.filter { !expired.contains($0.key) }
        return expired
    }

    /// Replaces the list of a folder, if it has changed; an empty one is removed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when it can't be written.
    func write(in folder: String, insteadOf before: WithdrawnFiles) throws(BundleError) {
        guard self != before else { return }
        let path = "\(folder)/\(Self.fileName)"
        guard dates.isEmpty else {
            let members = dates.sorted { $0.key < $1.key }
                .map { JSONObject.Member($0.key, .number(JSONNumber($0.value))) }
            return try StagedFile(for: path).publish(JSONWriter.bytes(of: .object(JSONObject(members)), .lines))
        }
        // What it says is of no use any more, whether or not it goes.
        try? FileManager.default.removeItem(atPath: path)
    }
}

import SystemPackage

/// What is wrong with a content.
enum ContentProblem: Hashable, Sendable, CustomStringConvertible {
    /// Its segment is missing, isn't a segment, or ends before it.
    case missing
    /// Its digest doesn't match.
    case changed
    /// Its segment was written by a newer program.
    case newerFormat
    /// The disk fails.
    case unreadable(Errno)

    /// One line with the problem and the remedy.
    var description: String {
        let (cause, remedy) = parts
        return remedy.map { "\(cause); \($0.advice)" } ?? cause
    }

    /// The problem and the remedy; without a remedy, the cause says what to do.
    private var parts: (cause: String, remedy: Remedy?) {
        switch self {
        case .missing: ("its content is missing", .repair)
        case .newerFormat: ("its segment has a format that this program doesn't read; update bundlectl", nil)
        case .changed: ("its content doesn't match its digest", .repair)
        case .unreadable(let error) where StorageFailure.isOfProcess(error):
            ("its content can't be read: \(StorageFailure.advice(on: error))", nil)
        case .unreadable(let error): ("its content can't be read (\(error)), so check the disk", .repair)
        }
    }

    /// The damage that this is to a file.
    func damage(to asset: Asset) -> StoreDamage {
        let (release, path, isNewer) = (asset.release, asset.path, self == .newerFormat)
        let (cause, remedy) = parts
        let (name, version) = (release.name, release.version)
        return remedy.map {
            StoreDamage(bundle: name, version: version, path: path, cause: cause, $0, isNewer: isNewer)
        } ?? StoreDamage(bundle: name, version: version, path: path, problem: cause, isNewer: isNewer)
    }
}

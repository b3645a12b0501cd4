import SystemPackage

/// What is wrong with a content.
enum ContentProblem: Hashable, Sendable, CustomStringConvertible {
    /// Its segment is missing, isn't one, or ends before it.
    case missing
    /// It hashes to something else.
    case changed
    /// Its segment was written by a newer program.
    case newerFormat
    /// The disk fails.
    case unreadable(Errno)

    /// One line for a person: what is wrong and what to do.
    var description: String {
        let advice = "repair it with “bundlectl verify --repair”, or reinstall the bundle"
        return switch self {
        case .missing: "its content is missing; \(advice)"
        case .newerFormat: "its segment has a format that this program doesn't read; update bundlectl"
        case .changed: "its content doesn't match its digest; \(advice)"
        case .unreadable(let error) where StorageFailure.isOfProcess(error):
            "its content can't be read: \(StorageFailure.advice(on: error))"
        case .unreadable(let error): "its content can't be read (\(error)); check the disk, then \(advice)"
        }
    }
}

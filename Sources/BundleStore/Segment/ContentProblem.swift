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
        let (problem, remedy) = parts
        return Notice(problem, remedy).description
    }

    /// What is wrong, and what to do; when there is no remedy, the problem says what to do.
    var parts: (problem: String, remedy: Remedy?) {
        switch self {
        case .missing: return ("its content is missing", .repair(.content))
        case .newerFormat: return ("its segment has a format that this program doesn't read", .updateProgram)
        case .changed: return ("its content doesn't match its digest", .repair(.content))
        case .unreadable(let error) where StorageFailure.isOfProcess(error):
            let (problem, remedy) = StorageFailure.explanation(of: error)
            return ("its content can't be read: \(problem)", remedy)
        case .unreadable(let error):
            return ("its content can't be read (\(error)), so check the disk", .repair(.content))
        }
    }
}

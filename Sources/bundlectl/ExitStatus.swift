import ArgumentParser
import BundleArchive
import BundleStore

/// The exit codes of the program: the one place that maps results to numbers (from BSD sysexits.h where it has one).
enum ExitStatus: Int32, CaseIterable {
    /// Done; for `check`, up to date.
    case done = 0
    /// `check` has found an update.
    case updateAvailable = 10
    /// `doctor` has found an error, `feed check` a signature that should be made again, or `feed advance` a release that is bad.
    case problemFound = 11
    /// `feed advance` doesn't know what has become of a release, and holds it.
    case noEvidence = 12
    /// The command line is wrong, or names something that doesn't exist.
    case usage = 64
    /// An archive, a manifest, a feed or the store's content is wrong.
    case badInput = 65
    /// A file or folder that the command line names isn't there, or can't be read.
    case noInput = 66
    /// The network or the server couldn't be reached.
    case networkUnavailable = 69
    /// An error of the program itself.
    case software = 70
    /// The store, or a file or folder to be written, can't be opened or written, or the store's quota has no room.
    case cannotWrite = 73
    /// Another process is working on the same bundle or store.
    case busy = 75

    /// The status for an error that ended a verb.
    init(_ error: any Error) {
        switch error {
        case let error as BundleError where (error.cause as? ArchiveError)?.code == .unreadable: self = .noInput
        case let error as BundleError: self = Self.byCode[error.code] ?? .software
        case let error as ArchiveError: self = error.code == .unreadable ? .noInput : .badInput
        case is OutputError: self = .cannotWrite
        case is ValidationError: self = .usage
        default: self = .software
        }
    }

    private static let byCode: [BundleError.Code: ExitStatus] = [
        .invalidArgument: .usage,
        .notFound: .usage,
        .tooLarge: .badInput,
        .inputUnavailable: .noInput,
        .invalidArchive: .badInput,
        .invalidManifest: .badInput,
        .invalidFeed: .badInput,
        .untrusted: .badInput,
        .versionConflict: .badInput,
        .originConflict: .badInput,
        .storeDamaged: .badInput,
        .networkUnavailable: .networkUnavailable,
        .unexpectedResponse: .networkUnavailable,
        .storeUnavailable: .cannotWrite,
        .newerFormat: .cannotWrite,
        .outputUnavailable: .cannotWrite,
        .quotaExceeded: .cannotWrite,
        .storeBusy: .busy,
    ]

    /// The text in the help.
    var summary: String {
        switch self {
        case .done: "done; for check: up to date"
        case .updateAvailable: "check: an update is available"
        case .problemFound:
            "doctor: there is an error; feed check: a signature is due; feed advance: the release is bad"
        case .noEvidence: "feed advance: nothing is known of the release, which is held"
        case .usage: "wrong usage, or no such bundle or version"
        case .badInput: "bad archive, manifest or feed; version or origin conflict; damaged store"
        case .noInput: "an input file or folder isn't there, or can't be read"
        case .networkUnavailable: "the network or the server is not available"
        case .software: "an error of bundlectl itself"
        case .cannotWrite: "the store, or the output, can't be opened or written, or is too new; the quota is exceeded"
        case .busy: "another process is working on the same bundle or store; try again later"
        }
    }

    /// The table in `bundlectl --help`.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return "  \(number)\(String(repeating: " ", count: 4 - number.count))\(status.summary)"
        }.joined(separator: "\n")
    }
}

/// Thrown by a verb that has finished and ends with an exit status of its own.
struct EarlyEnd: Error {
    let status: ExitStatus
}

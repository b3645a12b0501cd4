import Foundation
import GRDB
import SystemPackage

/// The system's error when files can't be read or written, and what an operator can do about it.
enum StorageFailure {
    /// What happened, to be put behind the name of the place, and what to do next; when there is no remedy, the problem says
    /// what to do.
    static func explanation(of error: any Error) -> (problem: String, remedy: Remedy?) {
        switch error {
        case let error as Errno: explanation(of: error)
        case let error as DatabaseError: explanation(of: error)
        case let error as POSIXError: explanation(of: Errno(rawValue: error.code.rawValue))
        // Foundation wraps the system's error.
        case let error as CocoaError where error.underlying != nil: explanation(of: error.underlying ?? error)
        default: ("\(error); check its permissions and free space", nil)
        }
    }

    /// Whether the cause is this process' inability to read or write, so that the file may be intact.
    static func isOfProcess(_ error: any Error) -> Bool {
        let obstacles: [Errno] = [
            .permissionDenied, .notPermitted, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory,
        ]
        return (error as? Errno).map(obstacles.contains) ?? false
    }

    /// Whether this process' user may not read.
    static func forbidsReading(_ error: any Error) -> Bool {
        switch error {
        case let error as Errno: [.permissionDenied, .notPermitted].contains(error)
        case let error as DatabaseError: error.resultCode.primaryResultCode == .SQLITE_CANTOPEN
        default: false
        }
    }

    /// Whether this process may read but not write.
    static func forbidsWriting(_ error: any Error) -> Bool {
        switch error {
        case let error as Errno: [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error)
        case let error as DatabaseError: [.SQLITE_READONLY, .SQLITE_PERM].contains(error.resultCode.primaryResultCode)
        default: false
        }
    }

    /// Whether space is missing: on the disk, in the user's disk quota, or under the file size limit.
    static func isLackOfRoom(_ error: any Error) -> Bool {
        switch error {
        case let error as Errno: [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(error)
        case let error as DatabaseError: error.resultCode.primaryResultCode == .SQLITE_FULL
        case let error as BundleError: error.isLackOfRoom
        default: false
        }
    }

    private static func explanation(of error: Errno) -> (String, Remedy?) {
        switch error {
        case .noSpace: ("the disk is full", .freeSpace)
        case .ioError: ("the disk reports an input/output error", .checkDisk)
        default: (advice(on: error), nil)
        }
    }

    /// What happened and what to do next.
    private static func advice(on error: Errno) -> String {
        switch error {
        case .diskQuotaExceeded: "the disk quota is used up; free some space, or have the quota raised, and try again"
        case .readOnlyFileSystem: "the file system is read-only; mount it for writing"
        case .permissionDenied, .notPermitted: "\(error); check the permissions, or run as the owner"
        case .notDirectory: "there is a file where a folder should be; move it away"
        case .tooManySymbolicLinkLevels: "a link stands where a file or folder should be; replace it"
        case .tooManyOpenFiles: "\(error); raise the limit of open files (ulimit -n), and try again"
        case .tooManyOpenFilesInSystem, .noMemory: "\(error); end other programs, and try again"
        default: "\(error); check its permissions and free space"
        }
    }

    private static func explanation(of error: DatabaseError) -> (String, Remedy?) {
        switch error.resultCode.primaryResultCode {
        case .SQLITE_FULL: explanation(of: .noSpace)
        case .SQLITE_IOERR: explanation(of: .ioError)
        default: (advice(on: error), nil)
        }
    }

    private static func advice(on error: DatabaseError) -> String {
        switch error.resultCode.primaryResultCode {
        case .SQLITE_READONLY:
            "the catalog may not be written; check the permissions, and whether the disk is read-only"
        case .SQLITE_CANTOPEN: "the catalog can't be opened or made; check the permissions of its folder"
        case .SQLITE_BUSY: "another process keeps the catalog locked; end it, or try again later"
        default: "\(error); check its permissions and free space"
        }
    }
}

extension BundleError {
    /// That the system, or the database, has refused something.
    ///
    /// - Parameter place: What couldn't be done, and where.
    init(_ code: Code, _ place: String, failure: any Error) {
        let (problem, remedy) = StorageFailure.explanation(of: failure)
        // Pruning frees space on the store's disk only.
        let isElsewhere = code == .outputUnavailable && remedy == .freeSpace
        self.init(
            code,
            "\(place): \(problem)\(isElsewhere ? "; free some space there, and try again" : "")",
            isElsewhere ? nil : remedy,
            cause: failure
        )
    }

    /// Whether the store couldn't be written for lack of space.
    package var isLackOfRoom: Bool { cause.map(StorageFailure.isLackOfRoom) ?? false }

    /// Whether this process may not write the store.
    package var isReadOnly: Bool { cause.map(StorageFailure.forbidsWriting) ?? false }
}

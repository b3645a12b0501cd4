import Foundation
import GRDB
import SystemPackage

/// What the system says when files can't be read or written, and what a person can do about it.
enum StorageFailure {
    /// What happened and what to do next, to be put behind the name of the place.
    static func advice(on error: any Error) -> String {
        switch error {
        case let error as Errno: advice(on: error)
        case let error as DatabaseError: advice(on: error)
        case let error as POSIXError: advice(on: Errno(rawValue: error.code.rawValue))
        // Foundation wraps what the system said.
        case let error as CocoaError where error.underlying != nil: advice(on: error.underlying ?? error)
        default: "\(error); check its permissions and free space"
        }
    }

    private static func advice(on error: Errno) -> String {
        switch error {
        case .noSpace:
            "the disk is full; free some space, “bundlectl prune” frees what old versions take, and try again"
        case .diskQuotaExceeded: "the disk quota is used up; free some space, or have the quota raised, and try again"
        case .ioError:
            "the disk reports an input/output error; check it and the system's log, then run “bundlectl verify”"
        case .readOnlyFileSystem: "the file system is read-only; mount it for writing"
        case .permissionDenied, .notPermitted: "\(error); check the permissions, or run as the owner"
        default: "\(error); check its permissions and free space"
        }
    }

    private static func advice(on error: DatabaseError) -> String {
        switch error.resultCode.primaryResultCode {
        case .SQLITE_FULL: advice(on: .noSpace)
        case .SQLITE_IOERR: advice(on: .ioError)
        case .SQLITE_READONLY:
            "the catalog may not be written; check the permissions, and whether the disk is read-only"
        case .SQLITE_BUSY: "another process keeps the catalog locked; end it, or try again later"
        default: "\(error); check its permissions and free space"
        }
    }
}

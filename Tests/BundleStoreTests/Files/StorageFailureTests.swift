import Foundation
import GRDB
import SystemPackage
import Testing

@testable import BundleStore

struct StorageFailureTests {
    private static func text(_ error: any Error) -> String {
        let (problem, remedy) = StorageFailure.explanation(of: error)
        return Notice(problem, remedy).description
    }

    @Test(
        "each failure says what to do about it",
        arguments: [
            (Errno.noSpace, "the disk is full; free some space"),
            (.diskQuotaExceeded, "the disk quota is used up; free some space, or have the quota raised"),
            (.ioError, "input/output error; check it and the system's log"),
            (.readOnlyFileSystem, "the file system is read-only; mount it"),
            (.permissionDenied, "check the permissions, or run as the owner"),
            (.tooManyOpenFiles, "raise the limit of open files"),
            (.tooManyOpenFilesInSystem, "end other programs"),
            (.fileTooLarge, "check its permissions and free space"),
        ]
    )
    func advice(_ error: Errno, _ advice: String) {
        #expect(Self.text(error).contains(advice))
    }

    @Test(
        "SQLite's failures are reported as the system's",
        arguments: [
            (ResultCode.SQLITE_FULL, "the disk is full"), (.SQLITE_IOERR_WRITE, "input/output error"),
            (.SQLITE_READONLY, "may not be written"), (.SQLITE_BUSY, "another process"),
        ]
    )
    func database(_ code: ResultCode, _ advice: String) {
        #expect(Self.text(DatabaseError(resultCode: code)).contains(advice))
    }

    @Test("failures wrapped by Foundation are reported as the system's")
    func foundation() {
        #expect(throws: (any Error).self) {
            do {
                try FileManager.default.createDirectory(atPath: "/dev/null/x", withIntermediateDirectories: false)
            } catch {
                #expect(Self.text(error) == Self.text(Errno.notDirectory))
                throw error
            }
        }
    }

    @Test("the message names the store, on one line")
    func message() {
        for cause in [Errno.noSpace, .diskQuotaExceeded, .ioError] {
            let error = #expect(throws: BundleError.self) {
                try StoreAccess.run(at: "/srv/store") { throw cause }
            }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("the store in /srv/store") == true)
            #expect(error?.message.contains("\n") == false)
        }
    }
}

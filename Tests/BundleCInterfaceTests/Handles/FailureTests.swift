import BundleStore
import CBundle
import Testing

@testable import BundleCInterface

@Suite("Errors for C")
struct FailureTests {
    @Test(
        "have a status for each code, and its name",
        arguments: [
            (.invalidArgument, OB_INVALID_ARGUMENT), (.notFound, OB_NOT_FOUND), (.tooLarge, OB_TOO_LARGE),
            (.invalidArchive, OB_INVALID_ARCHIVE),
            (.invalidManifest, OB_INVALID_MANIFEST), (.invalidFeed, OB_INVALID_FEED), (.untrusted, OB_UNTRUSTED),
            (.versionConflict, OB_VERSION_CONFLICT), (.originConflict, OB_ORIGIN_CONFLICT),
            (.networkUnavailable, OB_NETWORK_UNAVAILABLE), (.storeUnavailable, OB_STORE_UNAVAILABLE),
            (.outputUnavailable, OB_OUTPUT_UNAVAILABLE), (.storeBusy, OB_STORE_BUSY),
            (.quotaExceeded, OB_QUOTA_EXCEEDED), (.newerFormat, OB_NEWER_FORMAT), (.storeDamaged, OB_STORE_DAMAGED),
        ] as [(BundleError.Code, Int)]
    )
    func statuses(code: BundleError.Code, status: Int) {
        var error: OpaquePointer?
        let result = reporting(&error) { throw BundleError(code, "a problem", .wait) }
        #expect(result == ob_status(status))
        guard let error else {
            Issue.record("there is no error")
            return
        }
        #expect(ob_error_status(error) == result)
        #expect(String(cString: ob_error_name(error)) == code.description)
        #expect(String(cString: ob_error_message(error)) == "a problem; try again later")
        ob_error_free(error)
    }

    @Test("tell a cancellation and what has no code, and success stores no error")
    func others() {
        struct Other: Error {}
        #expect(reporting(nil) { throw CancellationError() } == ob_status(OB_CANCELLED))
        #expect(reporting(nil) { throw Other() } == ob_status(OB_FAILED))
        var error = OpaquePointer(bitPattern: 8)
        #expect(reporting(&error) {} == ob_status(OB_OK))
        #expect(error == nil)
    }
}

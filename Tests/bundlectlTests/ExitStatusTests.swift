import ArgumentParser
import BundleStore
import Testing

@testable import bundlectl

struct ExitStatusTests {
    @Test(
        "an error's code determines the exit status",
        arguments: [
            (BundleError.Code.invalidArgument, 64), (.notFound, 64), (.tooLarge, 65), (.inputUnavailable, 66),
            (.invalidArchive, 65), (.unexpectedResponse, 69),
            (.invalidManifest, 65), (.invalidFeed, 65), (.untrusted, 65),
            (.versionConflict, 65), (.storeDamaged, 65), (.networkUnavailable, 69), (.storeUnavailable, 73),
            (.newerFormat, 73),
            (.outputUnavailable, 73), (.quotaExceeded, 73), (.storeBusy, 75),
        ] as [(BundleError.Code, Int32)]
    )
    func code(_ code: BundleError.Code, _ status: Int32) {
        #expect(ExitStatus(BundleError(code, "message")).rawValue == status)
    }

    @Test("an unexpected error is the program's own")
    func unforeseen() {
        #expect(ExitStatus(CancellationError()) == .software)
    }

    @Test("the help lists every exit status")
    func help() {
        let help = BundleCtl.helpMessage(columns: 200)
        for status in ExitStatus.allCases {
            #expect(help.contains("\(status.rawValue)"))
            #expect(help.contains(status.summary))
        }
        #expect(help.contains("130 interrupted by Ctrl-C"))
        #expect(help.contains("143 interrupted by SIGTERM"))
    }
}

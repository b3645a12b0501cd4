import BundleTesting
import Foundation
import Synchronization
import Testing

@testable import ServerCore

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Connections that can't be accepted")
struct AcceptFailureLogTests {
    @Test("are logged at most once per interval, however often it fails, and also when the clock was set back")
    func rate() {
        let log = RecordedLog()
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let failures = AcceptFailureLog(logger: log.logger) { time.withLock { $0 } }
        for step in [0, 0.25, 59, 1, 59, -1_000, 30, 30] as [TimeInterval] {
            time.withLock { $0 += step }
            failures.report(EMFILE)
        }
        // At 0 and 60.25, then once the clock is set back by more than the interval, and once the interval has passed
        // again.
        #expect(log.lines.count == 4)
    }

    @Test(
        "are logged with a remedy",
        arguments: [(EMFILE, "LimitNOFILE="), (ENFILE, "fs.file-max"), (ENOBUFS, "memory"), (ENOMEM, "memory")]
    )
    func advice(_ code: CInt, _ advice: String) throws {
        let log = RecordedLog()
        AcceptFailureLog(logger: log.logger) { Date() }.report(code)
        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("warning: connections wait because they can't be accepted: "))
        #expect(line.contains(advice))
    }
}

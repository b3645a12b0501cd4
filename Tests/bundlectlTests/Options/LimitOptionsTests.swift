import ArgumentParser
import BundleServer
import BundleServing
import Testing

@testable import bundlectl

@Suite("Limits on the command line")
struct LimitOptionsTests {
    @Test("are the endpoint's defaults when none is given")
    func defaults() throws {
        #expect(try LimitOptions.parse([]).limits == ServerLimits())
    }

    @Test("count when they are given")
    func given() throws {
        let limits = try LimitOptions.parse([
            "--max-connections", "5", "--max-connections-per-address", "4", "--max-request-rate", "3",
            "--max-head-size",
            "4KB", "--max-header-fields", "2", "--idle-timeout", "5s", "--head-timeout", "4s", "--body-timeout", "3s",
            "--write-timeout", "2s", "--max-waiting-requests", "9", "--max-waiting-requests-per-address", "8",
        ]).limits
        #expect((limits.connections, limits.connectionsPerAddress, limits.requestsPerSecond) == (5, 4, 3))
        #expect((limits.waitingRequests, limits.waitingRequestsPerAddress) == (9, 8))
        #expect((limits.head.byteCount, limits.head.targetByteCount, limits.head.fieldCount) == (4_000, 4_000, 2))
        #expect((limits.idle, limits.headTime) == (.seconds(5), .seconds(4)))
        #expect((limits.bodyTime, limits.writeStall) == (.seconds(3), .seconds(2)))
    }

    @Test("accept heads as long as every part of the server does")
    func longestHead() throws {
        #expect(try LimitOptions.parse(["--max-head-size", "65536B"]).limits.head.byteCount == 64 << 10)
    }

    @Test(
        "are refused when no request could be served under them",
        arguments: [
            ["--max-connections", "0"], ["--max-connections-per-address=-1"], ["--max-request-rate", "0"],
            ["--max-waiting-requests", "0"], ["--max-waiting-requests-per-address", "0"], ["--max-header-fields", "0"],
            ["--max-head-size", "65537B"], ["--idle-timeout", "0s"],
        ]
    )
    func refused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try LimitOptions.parse(arguments) }
    }
}

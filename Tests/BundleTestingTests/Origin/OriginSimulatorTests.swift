import BundleTesting
import Foundation
import Testing

private let program = BuiltProducts.path(of: "origin-simulator")

@Suite(
    "origin-simulator",
    .enabled(if: FileManager.default.isExecutableFile(atPath: program), "origin-simulator isn't built")
)
struct OriginSimulatorTests {
    @Test(
        "it says where it listens, logs each request, and ends with 0 when it is told to",
        arguments: [SIGTERM, SIGINT]
    )
    func serving(_ signal: Int32) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("[1]", to: "shop/api/stock.json")
            let arguments = [directory.path, "--listen", "127.0.0.1:0", "--max-age", "5"]
            try await withChildProcess(program, arguments) { simulator in
                let line = try await simulator.waitForLine(containing: "listening on ")
                let baseURL = String(line.dropFirst("listening on ".count))
                let found = try await ChildProcess.run("curl", ["-s", "-i", "\(baseURL)/shop/api/stock.json"])
                #expect(found.output.contains("\r\nCache-Control: max-age=5\r\n"))
                #expect(found.output.hasSuffix("\r\n\r\n[1]"))
                _ = try await ChildProcess.run("curl", ["-s", "\(baseURL)/none"])
                _ = try await simulator.waitForLine { $0 == "GET /shop/api/stock.json 200" }
                _ = try await simulator.waitForLine { $0 == "GET /none 404" }
                simulator.send(signal)
                #expect(try await simulator.wait().ending == .exit(0))
            }
        }
    }

    @Test(
        "wrong arguments end with code 64 and a line that says why",
        arguments: [["/no/such/folder"], ["/tmp", "--listen", "80"]]
    )
    func usage(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run(program, arguments)
        #expect(result.exitCode == 64)
        #expect(result.errorOutput.hasPrefix("Error: "))
    }
}

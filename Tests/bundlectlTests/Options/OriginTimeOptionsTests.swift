import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTesting
import Testing

@testable import HTTPCore
@testable import bundlectl

@Suite("Time limits of origins on the command line")
struct OriginTimeOptionsTests {
    @Test("are those of the library when none is given")
    func defaults() throws {
        let options = try OriginTimeOptions.parse([])
        #expect(options.retries == RetryPolicy())
        #expect(options.connecting == nil && options.firstByte == nil && options.silence == nil)
    }

    @Test("count when they are given")
    func given() throws {
        let options = try OriginTimeOptions.parse([
            "--origin-connect-timeout", "2s", "--origin-first-byte-timeout", "1m", "--origin-silence-timeout", "3s",
            "--origin-retries", "0",
        ])
        #expect(options.connecting?.duration == .seconds(2))
        #expect(options.firstByte?.duration == .seconds(60))
        #expect(options.silence?.duration == .seconds(3))
        #expect(options.retries == .none)
    }

    @Test(
        "are refused when no request could succeed, or too many would be made",
        arguments: [
            ["--origin-connect-timeout", "0s"], ["--origin-first-byte-timeout", "0s"],
            ["--origin-silence-timeout", "0s"], ["--origin-retries", "11"], ["--origin-retries=-1"],
            ["--origin-retries", "x"],
        ]
    )
    func refused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try OriginTimeOptions.parse(arguments) }
    }

    @Test("the store's word on the link counts before the option")
    func metered() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let (plain, metered) = (try NetworkRuleOptions.parse([]), try NetworkRuleOptions.parse(["--metered"]))
            #expect(try !plain.conditions(in: store).isMetered)
            #expect(try metered.conditions(in: store).isMetered)
            for setting in [true, false] {
                try store.setMetered(setting)
                #expect(try plain.conditions(in: store).isMetered == setting)
                #expect(try metered.conditions(in: store).isMetered == setting)
            }
        }
    }
}

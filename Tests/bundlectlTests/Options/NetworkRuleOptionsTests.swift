import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTesting
import Testing

@testable import bundlectl

@Suite("Network rules on the command line")
struct NetworkRuleOptionsTests {
    @Test("are none when none is given")
    func defaults() throws {
        let options = try NetworkRuleOptions.parse([])
        #expect(options.conditions == RuleConditions())
        #expect(try RuleSet(manifest(), common: options.read { _ in }).isEmpty)
    }

    @Test("are read from the file, with a warning about each that can never apply")
    func given() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["rules.json": #"{"rules": [{}, {"strategy": "block"}]}"#], to: "a")
            let path = directory.path(of: "a/rules.json")
            let options = try NetworkRuleOptions.parse(["--network-rules", path, "--metered", "--development"])
            #expect(options.conditions == RuleConditions(isMetered: true, isDevelopment: true))
            var warnings: [String] = []
            let rules = try options.read { warnings += $0 }
            #expect(try !RuleSet(manifest(), common: rules).isEmpty)
            #expect(
                warnings == [
                    "\(path): rules[1]: never applies, because rules[0] matches first; move it up, or remove it"
                ]
            )
        }
    }

    @Test("are refused when the file is wrong, with its name and the place")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["rules.json": #"{"rules": [{"offline": 1}]}"#], to: "a")
            let path = directory.path(of: "a/rules.json")
            let options = try NetworkRuleOptions.parse(["--network-rules", path])
            let error = #expect(throws: BundleError.self) { try options.read { _ in } }
            #expect(error?.message == "\(path): rules[0].offline: must be a string, but is a number")
        }
    }

    private func manifest() throws -> BundleManifest {
        try BundleManifest.parse(Array(#"{"name": "a", "version": "1", "origins": []}"#.utf8)).manifest
    }
}

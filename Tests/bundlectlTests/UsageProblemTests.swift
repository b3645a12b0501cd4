import ArgumentParser
import Testing

@testable import bundlectl

struct UsageProblemTests {
    @Test(
        "the description of a wrong command line is one line that names the help",
        arguments: [
            ([], ["--version", "1"], "Unknown option '--version'; see bundlectl --help"),
            ([], ["frob"], "Unexpected argument 'frob'; see bundlectl --help"),
            ([], ["install"], "Missing expected argument '<archive|url>'; see bundlectl install --help"),
            (["cache"], ["frob"], "Unexpected argument 'frob'; see bundlectl cache --help"),
            (["cache", "list"], ["a", "b"], "Unexpected argument 'b'; see bundlectl cache list --help"),
            (["prune"], ["--keep=-1"], "--keep must be 0 or more; see bundlectl prune --help"),
            (
                ["quota"], ["100"],
                "The value '100' is invalid for '<size>': a size is none, or a whole number above 0 with a unit (B, KB, MB, GB, "
                    + "TB): 500MB, 1500MB, 2GB; see bundlectl quota --help"
            ),
            (
                ["update"], ["shop", "--feed", "x"],
                "The value 'x' is invalid for '--feed <url>'; see bundlectl update --help"
            ),
            (
                ["publish"], ["a.zip", "--to", "d", "--name", "a"],
                "--name and --version go together; give both, or neither; see bundlectl publish --help"
            ),
            (
                ["install"],
                [
                    "a.zip", "--name", "a", "--version", "1", "--origin", "https://a.test/", "--origin",
                    "https://a.test",
                ],
                "--origin “https://a.test/” is given twice; keep one; see bundlectl install --help"
            ),
        ] as [([String], [String], String)]
    )
    func line(_ verb: [String], _ rest: [String], _ line: String) {
        let arguments = verb + rest
        let error = #expect(throws: (any Error).self) { try BundleCtl.parseAsRoot(arguments) }
        guard let error else { return }
        #expect(UsageProblem(error, arguments: arguments).description == line)
    }
}

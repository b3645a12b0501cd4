import ArgumentParser
import Testing

@testable import bundlectl

struct UsageProblemTests {
    @Test(
        "the description of a wrong command line is one line that names the help",
        arguments: [
            ([], ["--version", "1"], "Unknown option '--version'; see bundlectl --help"),
            (
                [], ["instal", "shop.zip"],
                "There is no command 'instal'; did you mean 'install'? See bundlectl --help"
            ),
            ([], ["frob"], "There is no command 'frob'; see bundlectl --help"),
            (
                [], ["install"],
                "Missing expected argument '<archive|dir|url>': a file, a folder, or an http, https or file URL, such as "
                    + "shop-1.0.0.zip, dist or https://get.example.com/shop/feed.json; see bundlectl install --help"
            ),
            (
                ["serve"], ["--port", "8080"],
                "Unknown option '--port'; did you mean '--listen 8080'? See bundlectl serve --help"
            ),
            (
                ["serve"], ["-p", "8080"],
                "Unknown option '-p'; did you mean '--listen 8080'? See bundlectl serve --help"
            ),
            (["cache"], ["frob"], "There is no command 'frob'; see bundlectl cache --help"),
            (["cache", "list"], ["a", "b"], "Unexpected argument 'b'; see bundlectl cache list --help"),
            (
                ["prune"], ["--keep=-1"],
                "The value '-1' is invalid for '--keep': it must be 0 or more, such as 2; see bundlectl prune --help"
            ),
            (
                ["quota"], ["100"],
                "The value '100' is invalid for '<size>': a size is none, or a whole number above 0 with a unit (B, KB, MB, GB, "
                    + "TB): 500MB, 1500MB, 2GB; see bundlectl quota --help"
            ),
            (
                ["update"], ["shop", "--feed", "x"],
                "The value 'x' is invalid for '--feed <feed-url>': an http or https URL without a user and a fragment, or a file URL, "
                    + "such as https://get.example.com/shop/feed.json or file:///media/usb/feed.json; see bundlectl update --help"
            ),
            (
                ["serve"], ["--log-format", "xml"],
                "The value 'xml' is invalid for '--log-format <format>': one of text, json, such as text; see bundlectl serve "
                    + "--help"
            ),
            (
                ["serve"], ["--log-level", "foo"],
                "The value 'foo' is invalid for '--log-level <level>': one of trace, debug, info, notice, warning, error, "
                    + "critical, such as trace; see bundlectl serve --help"
            ),
            (
                ["publish"], ["a.zip", "--to", "d", "--name", "a"],
                "--name and --version go together; give both, such as --name docs --version 3, or neither; see bundlectl "
                    + "publish --help"
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

    @Test(
        "a refused value is named with the form that is wanted and an example, whatever the option",
        arguments: Self.values
    )
    func form(_ arguments: [String]) {
        guard let error = Self.error(of: arguments) else { return }
        let line = UsageProblem(error, arguments: arguments).description
        guard line.contains("The value '") else { return }
        #expect(
            line.contains("such as ") || line.contains(": a "),
            "\(line)"
        )
        #expect(line.contains("'\(Self.nonsense)'"))
    }

    /// Invalid for whatever isn't just any text.
    private static let nonsense = "\u{1}\u{2}"

    /// Each option that takes a value, and the first argument, of each verb.
    static let values = commands(below: BundleCtl.self, []).flatMap { names, command in
        let help = command.helpMessage(includeHidden: true, columns: 1_000)
        let options = help.matches(of: /--([a-z0-9-]+) </).map { "--\($0.1)" }
        return Set(options).sorted().map { names + [$0, nonsense] } + [names + [nonsense]]
    }

    private static func commands(
        below command: any ParsableCommand.Type,
        _ names: [String]
    ) -> [([String], any ParsableCommand.Type)] {
        command.configuration.subcommands.flatMap { command in
            let names = names + [command._commandName]
            let below = commands(below: command, names)
            return below.isEmpty ? [(names, command)] : below
        }
    }

    private static func error(of arguments: [String]) -> (any Error)? {
        do {
            _ = try BundleCtl.parseAsRoot(arguments)
            return nil
        } catch {
            return error
        }
    }

    @Test("at least a hundred values are tried")
    func completeness() {
        #expect(Self.values.count > 100)
    }
}

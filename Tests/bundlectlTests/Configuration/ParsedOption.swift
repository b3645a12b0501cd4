import ArgumentParser
import Foundation

@testable import bundlectl

/// What the parser knows of an option of `serve`, as `--experimental-dump-help` prints it.
struct ParsedOption: Equatable {
    /// They are about the configuration or the help, and no part of it.
    private static let others: Set = ["config", "print-config", "help", "version"]

    let name: String
    let letter: String?
    let kind: ConfigurableOption.Kind
    /// The parser's own default; otherwise the one that the help text ends with.
    let standard: String

    /// All of them, in the order of the help.
    static func ofServe() throws -> [ParsedOption] {
        let tool = try JSONDecoder().decode(Tool.self, from: Data(Serve._dumpHelp().utf8))
        return tool.command.arguments.compactMap(ParsedOption.init).filter { !others.contains($0.name) }
    }

    init(_ declared: ConfigurableOption) {
        (name, letter, kind, standard) = (declared.name, declared.letter, declared.kind, declared.standard)
    }

    private init?(_ argument: Argument) {
        guard let name = argument.names?.first(where: { $0.kind == "long" })?.name else { return nil }
        self.name = name
        letter = argument.names?.first { $0.kind == "short" }?.name
        if argument.kind == "flag" {
            kind = .flag
        } else if argument.isRepeating {
            kind = .list
        } else {
            kind = argument.valueName == "n" ? .number : .text
        }
        standard = argument.defaultValue ?? (kind == .flag ? "false" : argument.describedDefault ?? "none")
    }

    private struct Tool: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]
        }

        let command: Command
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?

        /// The default that the help text ends with, as “Default: 30s.” does.
        var describedDefault: String? {
            guard let abstract, let label = abstract.range(of: "Default: ", options: .backwards) else { return nil }
            let text = abstract[label.upperBound...]
            return String(text.hasSuffix(".") ? text.dropLast() : text)
        }
    }
}

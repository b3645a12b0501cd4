import ArgumentParser
import Foundation

/// An option of `serve` that a configuration can set. A value type.
///
/// The list is what the command itself says of its options, so that each new one has a key and a variable at once.
struct ConfigurableOption: Codable, Sendable, Equatable {
    /// What the option takes.
    enum Kind: Codable, Sendable {
        case flag
        case number
        case text
        /// It may be repeated.
        case list
    }

    /// The option's name without its hyphens: `check-every`.
    let name: String
    /// The letter that stands for it; nil for most.
    let letter: String?
    let kind: Kind
    /// What counts when nothing sets it, as the help says it.
    let standard: String

    /// The key in a configuration file: `checkEvery`.
    var key: String {
        let words = name.split(separator: "-")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    /// The arguments that set it.
    func arguments(_ values: [String]) -> [String] {
        kind == .flag ? values.filter { $0 == "true" }.map { _ in "--\(name)" } : values.map { "--\(name)=\($0)" }
    }
}

extension ConfigurableOption {
    /// They are about the configuration or the help, and no part of it.
    private static let others: Set = ["config", "print-config", "help", "version"]

    /// All of them, in the order of the help.
    static let all: [ConfigurableOption] = {
        // The parser's own description of the command can be decoded; a test looks at it.
        let tool = try? JSONDecoder().decode(Tool.self, from: Data(Serve._dumpHelp().utf8))
        return (tool?.command.arguments ?? []).compactMap(ConfigurableOption.init)
    }()

    private init?(_ argument: Argument) {
        guard let name = argument.names?.first(where: { $0.kind == "long" })?.name, !Self.others.contains(name) else {
            return nil
        }
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

    /// What ArgumentParser prints of a command for `--experimental-dump-help`.
    private struct Tool: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]
        }

        let command: Command
    }

    fileprivate struct Argument: Decodable {
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

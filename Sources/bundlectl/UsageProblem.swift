import ArgumentParser

/// The description of a wrong command line, as one line.
struct UsageProblem: CustomStringConvertible {
    let description: String

    /// - Parameters:
    ///   - error: What the parser threw.
    ///   - arguments: The command line, without the program's name.
    init(_ error: any Error, arguments: [String]) {
        // The parser breaks some of its messages into lines.
        let message = BundleCtl.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        description = "\(message); see \(Self.command(in: arguments)) --help"
    }

    /// The longest prefix of the arguments that names a command.
    private static func command(in arguments: [String]) -> String {
        var names = [BundleCtl._commandName]
        var subcommands = BundleCtl.configuration.subcommands
        for argument in arguments {
            guard let next = subcommands.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            subcommands = next.configuration.subcommands
        }
        return names.joined(separator: " ")
    }
}

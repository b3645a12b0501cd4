import ArgumentParser
import BundleStore

/// The description of a wrong command line, as one line.
struct UsageProblem: CustomStringConvertible {
    let description: String

    /// - Parameters:
    ///   - error: What the parser threw.
    ///   - arguments: The command line, without the program's name.
    init(_ error: any Error, arguments: [String]) {
        let (names, unknown) = Self.command(in: arguments)
        let help = "\(names.joined(separator: " ")) --help"
        guard let unknown else {
            let synonym = Self.synonym(in: Self.text(error), of: names.last)
            description = Self.problem(synonym?.problem ?? Self.text(error), meaning: synonym?.meant, help)
            return
        }
        description = Self.problem(
            "There is no command '\(Printable.text(unknown.word))'",
            meaning: NearestWord.nearest(to: unknown.word, in: unknown.commands),
            help
        )
    }

    /// What other programs call an option of a command.
    private static let synonyms = ["serve": ["--port": "--listen 8080", "-p": "--listen 8080"]]

    /// The refusal of an option that other programs have, without the parser's guess; nil for another message.
    private static func synonym(in message: String, of command: String?) -> (problem: String, meant: String)? {
        command.flatMap { synonyms[$0] }?.lazy.map { (problem: "Unknown option '\($0.key)'", meant: $0.value) }
            .first { message.hasPrefix($0.problem) }
    }

    private static func problem(_ problem: String, meaning suggestion: String?, _ help: String) -> String {
        suggestion.map { "\(problem); did you mean '\($0)'? See \(help)" } ?? "\(problem); see \(help)"
    }

    /// What is wrong, and where it is set if that isn't the command line.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as BundleError: Advice.line(error)
        case let problem as SourcedProblem:
            text(problem.error) + (problem.origins.map { "; \($0)" } ?? "")
        default: problem(error)
        }
    }

    /// What the parser says, with the form of the value that it refuses or misses.
    private static func problem(_ error: any Error) -> String {
        // The parser breaks some of its messages into lines.
        let message = BundleCtl.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        if let choice = choice(in: message) { return choice }
        if let refusal = CredentialInURL.refusal(in: message) { return refusal }
        let lacksForm = message.hasPrefix("The value '") || message.hasPrefix("Missing ")
        guard lacksForm, let form = placeholder(endOf: message).flatMap(ArgumentForm.text) else { return message }
        return "\(message): \(form)"
    }

    /// The refusal of a value that isn't one of a few, in the words of other refusals; nil for another message.
    private static func choice(in message: String) -> String? {
        guard let advice = message.ranges(of: ". Please provide one of ").last else { return nil }
        let values = message[advice.upperBound...].matches(of: /'([^']+)'|  - (\S+)/).compactMap { $0.1 ?? $0.2 }
        guard let example = values.first else { return nil }
        return "\(message[..<advice.lowerBound]): one of \(values.joined(separator: ", ")), such as \(example)"
    }

    /// What the parser calls the value, in “… '--keep <n>'”; nil when the message ends otherwise.
    private static func placeholder(endOf message: String) -> String? {
        guard message.hasSuffix(">'"), let start = message.lastIndex(of: "<") else { return nil }
        return String(message[message.index(after: start)...].dropLast(2))
    }

    /// The longest prefix of the arguments that names a command, and the word after it that should do so too.
    private static func command(in arguments: [String]) -> (names: [String], (word: String, commands: [String])?) {
        var names = [BundleCtl._commandName]
        var subcommands = BundleCtl.configuration.subcommands
        for argument in arguments {
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                let isWord = !subcommands.isEmpty && !argument.hasPrefix("-") && argument != "help"
                return (names, isWord ? (argument, subcommands.map { $0._commandName }) : nil)
            }
            names.append(argument)
            subcommands = next.configuration.subcommands
        }
        return (names, nil)
    }
}

/// The refusal of a URL with a user or a password, which isn't shown again.
enum CredentialInURL {
    /// What is said in place of the parser's refusal of a value; nil when the value is no such URL.
    static func refusal(in message: String) -> String? {
        guard
            let match = message.firstMatch(
                of: /^The value '([a-zA-Z][a-zA-Z0-9+.-]*:\/\/)([^\/?#]*@)(.*)' is invalid for '(.*)'$/
            )
        else { return nil }
        let (scheme, rest, option) = (match.output.1, match.output.3, match.output.4)
        // Who gets events isn't a feed.
        let place = option.hasPrefix("--webhook") ? "" : ", and give it in a netrc file, by --netrc-file FILE or NETRC"
        return
            "The value '\(scheme)…@\(rest)' is invalid for '\(option)': leave out what is before the @, which every user of "
            + "this machine can read\(place)"
    }
}

/// The word that was probably meant by a mistyped one. Pure.
enum NearestWord {
    /// The most bytes of a word that is looked at: no command has as many.
    private static let maximumByteCount = 32

    /// The candidate that takes the fewest changes; nil when each takes more than a third of its letters.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        guard word.utf8.count <= maximumByteCount else { return nil }
        let distances = candidates.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        return distances.filter { $0.distance <= max(1, $0.word.utf8.count / 3) }.min { $0.distance < $1.distance }?
            .word
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour (the optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var least = min(last[column + 1], current[column]) + 1
                least = min(least, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

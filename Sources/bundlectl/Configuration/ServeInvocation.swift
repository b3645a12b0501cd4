import ArgumentParser
import BundleStore
import Configuration

/// How `serve` was called: what its configuration file is combined with, each time that it is read. A value type.
struct ServeInvocation: Codable, Sendable {
    /// The command line after `serve`.
    let arguments: [String]
    let environment: [String: String]

    /// Options of which only one counts: what sets one of them in a source that takes precedence replaces the others. The
    /// folder to serve takes the place of a store.
    private static let alternatives: [Set<String>] = [
        ["verbose", "quiet", "log-level"], ["offline", "check-every"], ["store", Self.folder],
    ]
    private static let folder = "a folder"

    /// What an operator should know of the variables.
    var warnings: [String] { ConfigurationEnvironment(environment).warnings }

    /// Whether the command line alone says everything.
    var isPlain: Bool {
        let given = GivenArguments(arguments)
        guard given.values["help"] == nil else { return true }
        return given.values["config"] == nil && given.values["print-config"] == nil
            && !ConfigurationEnvironment(environment).isUsed
    }

    /// Reads the file, and combines it with the rest: the command line takes precedence over the environment, and that over
    /// the file.
    ///
    /// - Returns: A setting for each option, in the order of the help.
    /// - Throws: `BundleError` as ``ConfigurationFile/read(_:)``, or when a variable is invalid.
    func settings() throws(BundleError) -> [Setting] {
        let given = GivenArguments(arguments)
        let sources = [
            given.settings, try ConfigurationEnvironment(environment).settings(),
            try Self.settings(inFile: given.values["config"]?.last),
        ]
        var settings: [String: Setting] = [:]
        var chosen: Set<String> = given.hasFolder ? [Self.folder] : []
        for source in sources {
            let excluded = Self.alternatives.filter { !$0.isDisjoint(with: chosen) }.joined()
            for setting in source where settings[setting.option.name] == nil {
                guard !excluded.contains(setting.option.name) else { continue }
                settings[setting.option.name] = setting
                if setting.isActive { chosen.insert(setting.option.name) }
            }
        }
        return ConfigurableOption.all.map { settings[$0.name] ?? .standard($0) }
    }

    private static func settings(inFile path: String?) throws(BundleError) -> [Setting] {
        guard let path else { return [] }
        let values = try ConfigurationFile.read(path)
        return ConfigurableOption.all.compactMap { option in
            // The file's reader has checked the type.
            let value = try? values.value(forKey: [option.key], type: option.type).value
            return value.map { Setting(option: option, values: $0.content.texts, source: .file(path)) }
        }
    }

    /// The command that the settings make.
    ///
    /// - Throws: ``SourcedProblem`` when they are invalid.
    func command(_ settings: [Setting]) throws -> Serve {
        let added = settings.filter { $0.origin != nil }.flatMap { $0.option.arguments($0.values) }
        do {
            guard var serve = try BundleCtl.parseAsRoot([Serve._commandName] + added + arguments) as? Serve else {
                throw BundleError(.invalidArgument, "the configuration makes another command than serve")
            }
            (serve.invocation, serve.settings) = (self, settings)
            return serve
        } catch {
            throw SourcedProblem(error, settings)
        }
    }
}

/// What a command line of `serve` sets, as the parser will take it. A value type; pure.
///
/// Each option takes the argument after it, or what follows `=`; whether that is valid, the parser says.
struct GivenArguments {
    /// The values of each option, by its name; an empty one for a flag.
    private(set) var values: [String: [String]] = [:]
    /// Whether a folder is served.
    private(set) var hasFolder = false

    /// - Parameter arguments: Those after `serve`.
    init(_ arguments: [String]) {
        let flags = Set(ConfigurableOption.all.filter { $0.kind == .flag }.map(\.name)).union(Self.otherFlags)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                hasFolder = hasFolder || !rest.isEmpty
                return
            }
            if argument.hasPrefix("--") {
                let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(parts[0])
                let attached = parts.count == 2 ? String(parts[1]) : nil
                if let value = attached ?? (flags.contains(name) ? "" : rest.popFirst()) {
                    values[name, default: []].append(value)
                }
            } else if argument.hasPrefix("-"), argument != "-" {
                argument.dropFirst().forEach { note(letter: String($0)) }
            } else {
                hasFolder = true
            }
        }
    }

    private static let otherFlags: Set = ["print-config", "help"]

    private mutating func note(letter: String) {
        let name = letter == "h" ? "help" : ConfigurableOption.all.first { $0.letter == letter }?.name
        if let name { values[name, default: []].append("") }
    }

    /// The options that are set.
    var settings: [Setting] {
        ConfigurableOption.all.compactMap { option in
            guard let values = values[option.name] else { return nil }
            let texts = option.kind == .flag ? ["true"] : option.kind == .list ? values : Array(values.suffix(1))
            return Setting(option: option, values: texts, source: .commandLine)
        }
    }
}

/// What the parser refuses of a command line, together with where the options come from that it names.
struct SourcedProblem: Error {
    /// What the parser threw.
    let error: any Error
    /// Where the options are set that the message names; nil when the command line sets them.
    let origins: String?

    init(_ error: any Error, _ settings: [Setting]) {
        self.error = error
        let message = BundleCtl.message(for: error)
        let named = Set(message.matches(of: /--([a-z][a-z-]*)/).map { String($0.1) })
        let origins = settings.filter { named.contains($0.option.name) }.compactMap(\.origin)
        self.origins = origins.isEmpty ? nil : origins.joined(separator: ", ")
    }
}

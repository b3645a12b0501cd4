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

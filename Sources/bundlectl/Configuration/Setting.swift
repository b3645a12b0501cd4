import BundleStore

/// What an option of `serve` is set to, and by whom. A value type.
struct Setting: Codable, Sendable, Equatable {
    /// Where the value comes from. The earlier one takes precedence.
    enum Source: Codable, Sendable, Equatable {
        case commandLine
        /// An environment variable.
        case variable(String)
        /// A configuration file.
        case file(String)
        /// Nothing sets the option.
        case standard

        /// For tables.
        var description: String {
            switch self {
            case .commandLine: "command line"
            case .variable(let name): "environment variable \(name)"
            case .file(let path): Printable.line(path)
            case .standard: "default"
            }
        }
    }

    let option: ConfigurableOption
    /// `true` or `false` for a flag; several for a list.
    let values: [String]
    let source: Source

    /// Nothing sets the option.
    static func standard(_ option: ConfigurableOption) -> Setting {
        Setting(option: option, values: [], source: .standard)
    }

    /// In one line.
    var text: String {
        guard source != .standard else { return option.standard }
        return values.isEmpty ? "none" : Printable.line(values.joined(separator: ", "))
    }

    /// Whether it does something: a flag that is off, and an empty list, don't.
    var isActive: Bool { source != .standard && !values.isEmpty && !(option.kind == .flag && values == ["false"]) }

    /// Where it is set, for messages about it; nil when the command line or nothing sets it.
    var origin: String? {
        switch source {
        case .variable(let name): "--\(option.name) is set by \(name)"
        case .file(let path): "--\(option.name) is “\(option.key)” in \(Printable.line(path))"
        case .commandLine, .standard: nil
        }
    }
}

/// The options of `serve`, what they are set to, and by whom, as `--print-config` prints them.
enum ConfigurationTable {
    /// The lines.
    ///
    /// - Parameter storePath: The store when nothing sets it.
    static func lines(_ settings: [Setting], storePath: String) -> [String] {
        Table.lines(
            of: settings,
            [
                .left("KEY") { $0.option.key },
                .left("VALUE") { $0.option.name == "store" && $0.source == .standard ? storePath : $0.text },
                .left("SOURCE") { $0.source.description },
            ]
        )
    }
}

import BundleStore
import Configuration

/// The environment variables that set options of `serve`: `BUNDLECTL_SERVE_` and the option's name, as in
/// `BUNDLECTL_SERVE_CHECK_EVERY`. An empty one counts as unset, as for all variables that the program reads. A value type.
struct ConfigurationEnvironment {
    private static let prefix = ["bundlectl", "serve"]
    private static let start = "BUNDLECTL_SERVE_"

    private let variables: [String: String]
    private let provider: EnvironmentVariablesProvider

    /// - Parameter environment: All variables.
    init(_ environment: [String: String]) {
        variables = environment.filter { !$0.value.isEmpty }
        provider = EnvironmentVariablesProvider(environmentVariables: variables)
    }

    /// The options that are set.
    ///
    /// - Throws: `BundleError` with code `invalidArgument` when a flag's value isn't one.
    func settings() throws(BundleError) -> [Setting] {
        guard isUsed || variables[StoreOptions.variable] != nil else { return [] }
        var settings: [Setting] = []
        for option in ConfigurableOption.all {
            if let setting = try setting(of: option) { settings.append(setting) }
        }
        return settings
    }

    private func setting(of option: ConfigurableOption) throws(BundleError) -> Setting? {
        let key = AbsoluteConfigKey(Self.prefix + [option.key])
        let result: LookupResult
        do {
            result = try provider.value(forKey: key, type: option.type)
        } catch {
            let name = Self.name(of: option)
            throw BundleError(
                .invalidArgument,
                "\(name) must be true or false, but is “\(Printable.line(variables[name] ?? ""))”"
            )
        }
        if let value = result.value {
            return Setting(option: option, values: value.content.texts, source: .variable(result.encodedKey))
        }
        // All commands have it; here it counts as much as the others.
        guard option.name == "store", let path = variables[StoreOptions.variable] else { return nil }
        return Setting(option: option, values: [path], source: .variable(StoreOptions.variable))
    }

    /// The variable that sets an option.
    static func name(of option: ConfigurableOption) -> String {
        // As the library derives it: the lookup of a variable that isn't there says its name.
        let key = AbsoluteConfigKey(prefix + [option.key])
        let lookup = try? EnvironmentVariablesProvider(environmentVariables: [:]).value(forKey: key, type: .string)
        return lookup?.encodedKey ?? ""
    }

    /// A warning for each variable that looks like one of them, and sets no option.
    var warnings: [String] {
        guard isUsed else { return [] }
        let known = ConfigurableOption.all.map { String(Self.name(of: $0).dropFirst(Self.start.count)) }
        let unknown = names.map { String($0.dropFirst(Self.start.count)) }.filter { !known.contains($0) }
        return unknown.sorted().map { name in
            let nearest = NearestWord.nearest(to: name, in: known)
            let question = nearest.map { "; did you mean \(Self.start)\($0)?" } ?? ""
            return "\(Self.start)\(Printable.line(name)) sets no option of serve\(question)"
        }
    }

    /// Whether a variable sets, or seems to set, an option.
    var isUsed: Bool { !names.isEmpty }

    private var names: [String] { variables.keys.filter { $0.hasPrefix(Self.start) } }
}

extension ConfigurableOption {
    /// As what it is looked up.
    var type: ConfigType {
        switch kind {
        case .flag: .bool
        case .number, .text: .string
        case .list: .stringArray
        }
    }
}

extension ConfigContent {
    /// As arguments of the command line.
    var texts: [String] {
        switch self {
        case .bool(let isOn): ["\(isOn)"]
        case .string(let text): [text]
        case .stringArray(let texts): texts
        default: []
        }
    }
}

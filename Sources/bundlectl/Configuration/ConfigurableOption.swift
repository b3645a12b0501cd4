import ArgumentParser

/// An option of `serve`: its name, its help and its default. It stands beside the property that the parser sets, and a configuration
/// can set it too. A value type.
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
    private let abstract: String
    private let discussion: String?
    private let valueName: String?

    fileprivate init(
        _ kind: Kind,
        _ name: String,
        _ abstract: String,
        standard: String,
        letter: String? = nil,
        discussion: String? = nil,
        valueName: String? = nil
    ) {
        (self.kind, self.name, self.letter, self.standard) = (kind, name, letter, standard)
        (self.abstract, self.discussion, self.valueName) = (abstract, discussion, valueName)
    }

    /// An option that nothing sets by default.
    ///
    /// - Parameters:
    ///   - name: Without its hyphens.
    ///   - text: What the help says. It ends with the default, if there is one.
    ///   - value: The placeholder of the value in the help; nil for the name.
    ///   - standard: What counts when nothing sets it.
    init(
        _ name: String,
        _ text: String,
        value: String? = nil,
        discussion: String? = nil,
        default standard: String? = nil
    ) {
        self.init(
            .text,
            name,
            Self.abstract(text, standard),
            standard: standard ?? "none",
            discussion: discussion,
            valueName: value
        )
    }

    /// The same for one that may be repeated.
    static func list(_ name: String, _ text: String, value: String, default standard: String? = nil) -> Self {
        Self(.list, name, abstract(text, standard), standard: standard ?? "none", valueName: value)
    }

    /// A flag that is off by default.
    ///
    /// - Parameter letter: The letter that stands for it.
    static func flag(_ name: String, letter: String? = nil, _ text: String) -> Self {
        Self(.flag, name, text, standard: "false", letter: letter)
    }

    private static func abstract(_ text: String, _ standard: String?) -> String {
        standard.map { "\(text) Default: \($0)." } ?? text
    }

    /// The key in a configuration file: `checkEvery`.
    var key: String {
        let words = name.split(separator: "-")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    /// As the command line has it: `--check-every`.
    var label: String { "--\(name)" }

    /// The arguments that set it.
    func arguments(_ values: [String]) -> [String] {
        kind == .flag ? values.filter { $0 == "true" }.map { _ in label } : values.map { "\(label)=\($0)" }
    }

    /// What the parser calls it.
    var names: NameSpecification {
        let letters = letter.map { [NameSpecification.Element.customShort(Character($0))] } ?? []
        return NameSpecification([.customLong(name)] + letters)
    }

    /// What the parser says of it.
    var help: ArgumentHelp { ArgumentHelp(abstract, discussion: discussion, valueName: valueName) }
}

/// An option of `serve` that has a value when nothing sets it; the parser shows the value in the help. A value type.
struct DefaultedOption<Value: ExpressibleByArgument & Sendable>: Sendable {
    let option: ConfigurableOption
    let value: Value

    /// - Parameters:
    ///   - name: Without its hyphens.
    ///   - text: What the help says, to which the parser adds the value.
    ///   - valueName: The placeholder of the value in the help; nil for `n` with a number, otherwise for the name.
    ///   - value: What counts when nothing sets it.
    init(_ name: String, _ text: String, value valueName: String? = nil, default value: Value) {
        let kind = Value.self == Int.self ? ConfigurableOption.Kind.number : .text
        self.value = value
        option = ConfigurableOption(
            kind,
            name,
            text,
            standard: value.defaultValueDescription,
            valueName: valueName ?? (kind == .number ? "n" : nil)
        )
    }
}

extension Option {
    /// The option that is declared.
    init<Element: ExpressibleByArgument>(_ declared: ConfigurableOption, completion: CompletionKind? = nil)
    where Value == Element? {
        self.init(name: declared.names, help: declared.help, completion: completion)
    }

    /// The list that is declared.
    init<Element: ExpressibleByArgument>(
        wrappedValue: [Element],
        _ declared: ConfigurableOption,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(wrappedValue: wrappedValue, name: declared.names, help: declared.help, completion: completion)
    }

    /// The option that is declared, with its value.
    init(_ declared: DefaultedOption<Value>) where Value: ExpressibleByArgument {
        self.init(wrappedValue: declared.value, name: declared.option.names, help: declared.option.help)
    }
}

extension Flag where Value == Bool {
    /// The flag that is declared.
    init(wrappedValue: Bool, _ declared: ConfigurableOption) {
        self.init(wrappedValue: wrappedValue, name: declared.names, help: declared.help)
    }
}

extension ConfigurableOption {
    /// All of them, in the order of the help.
    static let all: [ConfigurableOption] = [
        ManifestFileOptions.options, [Serve.watch], ListenOptions.options, ResponseFieldOptions.options,
        ServingOptions.options, CacheOptions.options, NetworkRuleOptions.options,
        [Serve.checkEvery, Serve.scrubEvery, Serve.variantQuota.option, Serve.compressLocal, Serve.noVersionCookie],
        OriginNetworkOptions.options, OriginTimeOptions.options, NetworkAccessOptions.options, OperationOptions.options,
        LimitOptions.options, LoggingOptions.options, ShellOptions.options, TrustOptions.options,
        TransferOptions.options,
        MeteredOptions.options, ActivationOptions.options, [Serve.idleAfter.option, Serve.pageLifetime],
        HookOptions.options, TelemetryOptions.options, [Serve.telemetryInterval.option], StoreOptions.options,
    ].flatMap(\.self)
}

import BundleStore
import Configuration

/// A file that sets options of `serve`: a JSON object whose keys are those of ``ConfigurableOption``.
///
/// It is read by the parser that reads manifests: that of swift-configuration takes the last of two equal keys and 1 for true,
/// gives no position, and doesn't tell which keys there are, so that a mistyped one would go unnoticed.
enum ConfigurationFile {
    /// The largest size in bytes.
    static let maximumByteCount = 1 << 20

    /// Reads a file.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when it can't be read, or isn't a regular file; `invalidArgument`
    ///   when it is too long, isn't JSON, or has a key or a type that isn't known. The message names the place.
    static func read(_ path: String) throws(BundleError) -> InMemoryProvider {
        try parse(try InputDocument(path, atMost: maximumByteCount).bytes, named: path)
    }

    /// The same for what a file contains.
    ///
    /// - Parameter name: The file, for messages.
    static func parse(_ bytes: [UInt8], named name: String) throws(BundleError) -> InMemoryProvider {
        let document = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: maximumByteCount,
            refusedAs: .invalidArgument
        )
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, element) in try document.members() {
            guard let option = ConfigurableOption.all.first(where: { $0.key == key }) else {
                throw element.refused(unknown(key))
            }
            values[[key]] = ConfigValue(try content(of: element, for: option), isSecret: false)
        }
        return InMemoryProvider(name: name, values: values)
    }

    private static func unknown(_ key: String) -> String {
        let nearest = NearestWord.nearest(to: key, in: ConfigurableOption.all.map(\.key))
        return nearest.map { "no option has this key; did you mean “\($0)”?" }
            ?? "no option has this key; “bundlectl serve --print-config” lists them"
    }

    private static func content(
        of element: JSONElement,
        for option: ConfigurableOption
    ) throws(BundleError) -> ConfigContent {
        switch (option.kind, element.value) {
        case (.flag, .bool(let isOn)): return .bool(isOn)
        case (.number, .number(let number)): return .string(number.text)
        case (.text, .string(let text)): return .string(text)
        case (.list, .array):
            var texts: [String] = []
            for element in try element.array() { texts.append(try element.string()) }
            return .stringArray(texts)
        default: throw element.mismatch(option.kind.jsonForm)
        }
    }
}

extension ConfigurableOption.Kind {
    /// What a file gives for it, with an example.
    fileprivate var jsonForm: String {
        switch self {
        case .flag: "true or false"
        case .number: "a number, such as 2"
        case .text: "a string, such as \"15m\""
        case .list: "a list of strings, such as [\"shop=/\"]"
        }
    }
}

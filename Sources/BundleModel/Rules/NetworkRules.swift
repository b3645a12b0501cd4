/// What a bundle, or the operator, says about requests that the bundle lacks: the member `network` of `bundle.json`.
///
/// A value type; safe to share between threads.
package struct NetworkRules: Equatable, Sendable {
    /// The keys of `network`.
    enum Key: String, CaseIterable {
        case rules
        case precache
    }

    /// The largest number of rules.
    package static let maximumCount = 256
    /// The total length of the paths' patterns in bytes: each is compared with the path of each request that the bundle
    /// lacks, which the client chooses.
    static let maximumPatternByteCount = 8 << 10
    /// The largest number of URLs that are fetched ahead.
    static let maximumPrecacheCount = 256

    /// In the order in which they are tried: the first that matches applies.
    package let rules: [NetworkRule]
    /// Absolute URLs below the bundle's origins that are fetched at the installation and after an update.
    package let precache: [String]

    /// What the parser has read and checked.
    package init(rules: [NetworkRule] = [], precache: [String] = []) {
        self.rules = rules
        self.precache = precache
    }

    /// Whether it says nothing.
    package var isEmpty: Bool { rules.isEmpty && precache.isEmpty }
}

extension NetworkRules {
    /// Parses rules that hold for all bundles: a file of the form of `network`, without `precache`.
    ///
    /// - Throws: ``BundleError`` with code `invalidArgument`, as the parser of a manifest does.
    package static func parse(
        _ json: [UInt8],
        named name: String
    ) throws(BundleError) -> (rules: NetworkRules, warnings: [String]) {
        let root = try JSONElement(
            parsing: json,
            named: name,
            maximumByteCount: BundleManifest.maximumByteCount,
            refusedAs: .invalidArgument
        )
        return try NetworkRulesParser(origins: nil).parse(root)
    }
}

extension NetworkRules {
    /// As JSON that the parser reads back; only what differs from the defaults.
    var encoded: JSONValue {
        .present([
            (Key.rules, rules.isEmpty ? nil : .array(rules.map(\.encoded))),
            (Key.precache, precache.isEmpty ? nil : .array(precache.map(JSONValue.string))),
        ])
    }
}

extension NetworkRule {
    fileprivate var encoded: JSONValue {
        .present(Key.allCases.map { ($0, encoded($0)) })
    }

    private func encoded(_ key: Key) -> JSONValue? {
        switch key {
        case .match: match == RuleMatch() ? nil : match.encoded
        case .onlyIfMetered: isOnlyIfMetered ? .bool(true) : nil
        case .strategy: strategy == .cacheFirst ? nil : .string(strategy.rawValue)
        case .timeLimit: timeLimit?.encoded
        case .offline: offline.map { .string($0.rawValue) }
        case .keepDays: keepDays.map { .whole($0) }
        case .keepAuthorized: keepsAuthorized ? .bool(true) : nil
        case .userCookies: userCookies.map { .array($0.map(JSONValue.string)) }
        case .requestFields: requestFields.isEmpty ? nil : requestFields.encoded
        case .responseFields: responseFields.isEmpty ? nil : responseFields.encoded
        case .connectTo: connectTo.map { .string($0.string) }
        case .rewrite:
            rewrite.map { .present([(URLRewrite.Key.from, .string($0.from.string)), (.to, .string($0.to.string))]) }
        case .redirect:
            redirect.map { .present([(RuleRedirect.Key.status, .whole($0.status)), (.to, .string($0.place))]) }
        case .mock: mock?.encoded
        }
    }
}

extension RuleMatch {
    fileprivate var encoded: JSONValue {
        .present([
            (Key.path, .values(paths.map(\.string))),
            (.suffix, .values(suffixes)),
            (.mediaType, .values(mediaTypes.map(\.string))),
            (.kind, .values(kinds.map(\.rawValue))),
            (.method, .values(methods)),
        ])
    }
}

extension FieldEdit {
    fileprivate var encoded: JSONValue {
        .present([
            (Key.set, set.encoded),
            (.add, add.encoded),
            (.remove, remove.isEmpty ? nil : .array(remove.map(JSONValue.string))),
        ])
    }
}

extension RuleMock {
    fileprivate var encoded: JSONValue {
        .present([
            (Key.file, file.map { .string($0.string) }),
            (.content, content),
            (.status, status == 200 ? nil : .whole(status)),
            (.fields, fields.encoded),
            (.delay, delay?.encoded),
        ])
    }
}

extension Milliseconds {
    fileprivate var encoded: JSONValue { .number(JSONNumber(count)) }
}

extension [HeaderField] {
    fileprivate var encoded: JSONValue? {
        isEmpty ? nil : .sorted(map { JSONObject.Member($0.name, .string($0.value)) })
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    fileprivate static func present<Key: RawRepresentable<String>>(_ members: [(Key, JSONValue?)]) -> JSONValue {
        .sorted(members.compactMap { key, value in value.map { JSONObject.Member(key.rawValue, $0) } })
    }

    fileprivate static func whole(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }

    /// One string as it is, several as a list.
    fileprivate static func values(_ strings: [String]) -> JSONValue? {
        guard let first = strings.first else { return nil }
        return strings.count == 1 ? .string(first) : .array(strings.map(JSONValue.string))
    }
}

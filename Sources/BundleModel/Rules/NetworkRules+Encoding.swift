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
        case .offline: isNeverOffline ? .string(Self.neverOffline) : nil
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

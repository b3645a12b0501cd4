extension BundleManifest {
    /// The manifest as JSON: every key with a value, sorted, without white space. ``parse(_:)`` returns the same
    /// manifest, without a warning.
    public func encoded() -> [UInt8] {
        let members = Key.allCases.compactMap { key in encoded(key).map { JSONObject.Member(key.rawValue, $0) } }
        return JSONWriter.bytes(of: .sorted(members), .compact)
    }

    private func encoded(_ key: Key) -> JSONValue? {
        switch key {
        case .name: .string(name.string)
        case .version: .string(version.string)
        case .origins: .array(origins.map(\.encoded))
        case .entry: .string(entry.string)
        case .fallback: fallback?.encoded
        case .offlinePage: offlinePage.map { .string($0.string) }
        case .headers: headers.isEmpty ? nil : .sorted(headers.map { JSONObject.Member($0.pattern.string, $0.encoded) })
        case .immutable: immutable.map { .array($0.map { .string($0.string) }) }
        case .mediaTypes: mediaTypes.isEmpty ? nil : .sorted(mediaTypes.map { JSONObject.Member($0, .string($1)) })
        case .forwardedFields:
            forwardedFields.isEmpty ? nil : .array(forwardedFields.map(JSONValue.string))
        case .forwardedAddress: forwardsAddress ? .bool(true) : nil
        case .ignoreQuery:
            ignoredParameters.isEmpty ? nil : .array(ignoredParameters.map { .string($0.string) })
        case .network: network.isEmpty ? nil : network.encoded
        case .feed: feed.map(JSONValue.string)
        case .channel: .string(channel)
        case .health: health?.encoded
        }
    }
}

extension OriginMapping {
    fileprivate var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.url.rawValue, .string(origin.description)),
            JSONObject.Member(Key.path.rawValue, .string(path)),
        ])
    }
}

extension RouteFallback {
    fileprivate var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.file.rawValue, .string(file.string)),
            JSONObject.Member(Key.routes.rawValue, .array(routes.map { .string($0.string) })),
        ])
    }
}

extension HeaderRule {
    fileprivate var encoded: JSONValue {
        .sorted(fields.map { JSONObject.Member($0.name, .string($0.value)) })
    }
}

extension JSONValue {
    /// An object with its members ordered by the bytes of their keys.
    static func sorted(_ members: [JSONObject.Member]) -> JSONValue {
        .object(JSONObject(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
    }
}

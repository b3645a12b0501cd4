import BundleStore

extension FeedEntry {
    /// The entry as JSON: the known keys in a fixed order, without those that say nothing, then the others.
    var encoded: JSONValue {
        let release = [
            JSONObject.Member(FeedReader.Key.version, .string(version.string)),
            JSONObject.Member(FeedReader.Key.source, .string(source)),
            JSONObject.Member(FeedReader.Key.size, .number(JSONNumber(size))),
            JSONObject.Member(FeedReader.Key.digest, .string(digest.hex)),
        ]
        return .object(JSONObject(release + terms.members + otherMembers))
    }
}

extension ReleaseTerms {
    fileprivate var members: [JSONObject.Member] {
        let values: [(String, JSONValue?)] = [
            (FeedReader.Key.channels, channels.isEmpty ? nil : .array(channels.map(JSONValue.string))),
            (FeedReader.Key.rollout, rollout == .everyone ? nil : .number(rollout.number)),
            (FeedReader.Key.critical, isCritical ? .bool(true) : nil),
            (FeedReader.Key.minimumShell, minimumShell.map { .string($0.string) }),
            (FeedReader.Key.notes, notes.map(JSONValue.string)),
            (FeedReader.Key.revoked, isRevoked ? .bool(true) : nil),
        ]
        return values.compactMap { key, value in value.map { JSONObject.Member(key, $0) } }
    }
}

extension Rollout {
    fileprivate var number: JSONNumber { Int64(exactly: percent).map(JSONNumber.init) ?? JSONNumber(percent) }
}

import BundleStore
import BundleUpdate

extension FeedEntry {
    /// The entry as JSON: the known keys in a fixed order, without those that say nothing, then the others.
    var encoded: JSONValue {
        let release = [
            JSONObject.Member(FeedReader.Key.version, .string(version.string)),
            JSONObject.Member(FeedReader.Key.source, .string(source)),
            JSONObject.Member(FeedReader.Key.size, .number(JSONNumber(size))),
            JSONObject.Member(FeedReader.Key.digest, .string(digest.hex)),
        ]
        let files = [
            contents.map { JSONObject.Member(FeedReader.Key.contents, $0.encoded) },
            patches.isEmpty ? nil : JSONObject.Member(FeedReader.Key.patches, .array(patches.map(\.encoded))),
        ].compactMap(\.self)
        return .object(JSONObject(release + terms.members + files + otherMembers))
    }
}

extension FeedFile<String> {
    fileprivate var members: [JSONObject.Member] {
        [
            JSONObject.Member(FeedReader.Key.source, .string(location)),
            JSONObject.Member(FeedReader.Key.size, .number(JSONNumber(size))),
            JSONObject.Member(FeedReader.Key.digest, .string(digest.hex)),
        ]
    }
}

extension FeedContents<String> {
    fileprivate var encoded: JSONValue {
        .object(
            JSONObject(
                [JSONObject.Member(FeedReader.Key.files, .string(filesDigest.hex))] + (list?.members ?? [])
            )
        )
    }
}

extension FeedPatch<String> {
    fileprivate var encoded: JSONValue {
        .object(
            JSONObject(
                [
                    JSONObject.Member(FeedReader.Key.from, .string(from.string)),
                    JSONObject.Member(FeedReader.Key.base, .string(base.hex)),
                ] + file.members
            )
        )
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

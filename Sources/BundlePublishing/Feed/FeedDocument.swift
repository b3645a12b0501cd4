import BundleStore
import BundleUpdate
import Foundation

/// A feed's text, to be read, changed and written back by a publisher. Keys that aren't understood are kept.
/// A value type; safe to share between threads.
package struct FeedDocument: Equatable, Sendable {
    /// The bundle that the feed is about.
    package let name: BundleName
    /// The number of the last change; 0 before the first, and in a feed without one.
    package let sequence: Int64
    /// Whether the folder has signatures of it, which devices then demand from the first time on.
    package let isSigned: Bool
    /// The least time in seconds from one check of a device to the next; nil when the publisher doesn't say.
    package let poll: Int64?
    /// The releases, one for each version, the highest first.
    package let entries: [FeedEntry]

    private let otherMembers: [JSONObject.Member]

    /// Makes a feed that offers nothing yet.
    package init(name: BundleName) {
        self.init(name: name, sequence: 0, isSigned: false, poll: nil, entries: [], otherMembers: [])
    }

    private init(
        name: BundleName,
        sequence: Int64,
        isSigned: Bool,
        poll: Int64?,
        entries: [FeedEntry],
        otherMembers: [JSONObject.Member]
    ) {
        (self.name, self.sequence, self.isSigned, self.poll) = (name, sequence, isSigned, poll)
        self.entries = entries.lastOfEach(\.version).sorted { $0.version > $1.version }
        self.otherMembers = otherMembers
    }

    /// Reads a feed that was published before. Of two entries with equal versions the last is kept.
    ///
    /// - Parameters:
    ///   - json: The file's bytes: JSON in UTF-8, at most 4 MiB.
    ///   - fileName: The file's name in errors.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the text is too long, isn't JSON, or has a
    ///   wrong entry. Where an entry's `src` leads is not checked, since that depends on where the feed will be.
    package static func parse(_ json: [UInt8], named fileName: String) throws(BundleError) -> FeedDocument {
        let root = try FeedReader.root(of: json, named: fileName)
        return FeedDocument(
            name: try FeedReader.name(of: root),
            sequence: try FeedReader.sequence(of: root) ?? 0,
            isSigned: try FeedReader.isSigned(root),
            poll: try FeedReader.poll(of: root),
            entries: try FeedReader.entries(of: root).map(FeedReader.entry),
            otherMembers: try root.members()
                .filter { !FeedReader.Key.ofFeed.contains($0.key) }
                .map { JSONObject.Member($0.key, $0.element.value) }
        )
    }

    /// The same feed with these releases, and the next sequence number; the same number if nothing changes.
    ///
    /// - Parameter signed: Whether it is signed from now on; one that is signed stays so.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the numbers are used up.
    package func replacing(_ entries: [FeedEntry], signed: Bool = false) throws(BundleError) -> FeedDocument {
        try replacing(entries, poll: poll, signed: signed)
    }

    /// The same feed after a change.
    ///
    /// - Parameters:
    ///   - now: When that is.
    ///   - signed: As for ``replacing(_:signed:)``.
    /// - Throws: As ``replacing(_:signed:)`` and ``FeedChange/applied(to:at:)``.
    package func changing(
        _ change: FeedChange,
        at now: Date,
        signed: Bool = false
    ) throws(BundleError) -> FeedDocument {
        let poll = if case .poll(let seconds) = change { seconds } else { poll }
        return try replacing(change.applied(to: entries, at: now), poll: poll, signed: signed)
    }

    private func replacing(_ entries: [FeedEntry], poll: Int64?, signed: Bool) throws(BundleError) -> FeedDocument {
        let isSigned = isSigned || signed
        let changed = FeedDocument(
            name: name,
            sequence: sequence,
            isSigned: isSigned,
            poll: poll,
            entries: entries,
            otherMembers: otherMembers
        )
        guard changed != self || sequence == 0 else { return self }
        guard sequence < FeedReader.maximumSequence else {
            throw BundleError(
                .invalidFeed,
                "the feed's sequence number \(sequence) can't be raised; publish the bundle at another URL"
            )
        }
        return FeedDocument(
            name: name,
            sequence: sequence + 1,
            isSigned: isSigned,
            poll: poll,
            entries: changed.entries,
            otherMembers: otherMembers
        )
    }

    /// The same feed with `entry` added, or replacing one with an equal version.
    package func adding(_ entry: FeedEntry) throws(BundleError) -> FeedDocument {
        try replacing(entries + [entry])
    }

    /// The feed as JSON: one member a line, the known keys first, then the others in the order in which they came.
    /// Equal documents have equal bytes.
    package func encoded() -> [UInt8] {
        let known = [
            JSONObject.Member(FeedReader.Key.name, .string(name.string)),
            sequence > 0 ? JSONObject.Member(FeedReader.Key.sequence, .number(JSONNumber(sequence))) : nil,
            isSigned ? JSONObject.Member(FeedReader.Key.signed, .bool(true)) : nil,
            poll.map { JSONObject.Member(FeedReader.Key.poll, .number(JSONNumber($0))) },
            JSONObject.Member(FeedReader.Key.versions, .array(entries.map(\.encoded))),
        ].compactMap(\.self)
        return JSONWriter.bytes(of: .object(JSONObject(known + otherMembers)), .lines)
    }
}

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
            (FeedReader.Key.rolloutSince, rolloutSince.map { .string($0.formatted(.iso8601)) }),
            (FeedReader.Key.groups, groups.isEmpty ? nil : .array(groups.map(JSONValue.string))),
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

import BundleStore
import Foundation

/// Reads the parts of a feed that don't depend on where it came from.
package enum FeedReader {
    /// The keys of a feed and of its entries.
    package enum Key {
        package static let name = "name"
        package static let sequence = "sequence"
        package static let signed = "signed"
        package static let poll = "poll"
        package static let versions = "versions"
        package static let version = "version"
        package static let source = "src"
        package static let size = "size"
        package static let digest = "sha256"
        package static let channels = "channels"
        package static let rollout = "rollout"
        package static let rolloutSince = "rolloutSince"
        package static let groups = "groups"
        package static let critical = "critical"
        package static let minimumShell = "minimumShell"
        package static let notes = "notes"
        package static let revoked = "revoked"
        package static let contents = "contents"
        package static let files = "files"
        package static let patches = "patches"
        package static let from = "from"
        package static let base = "base"

        /// The keys of a feed that are understood.
        package static let ofFeed = [name, sequence, signed, poll, versions]
        /// The keys of an entry that are understood.
        package static let ofEntry = [
            version, source, size, digest, channels, rollout, rolloutSince, groups, critical, minimumShell, notes,
            revoked,
            contents, patches,
        ]
    }

    /// The highest sequence number: what every program that reads JSON can represent (RFC 8259 §6).
    package static let maximumSequence: Int64 = 1 << 53 - 1

    /// A feed's text as JSON.
    ///
    /// - Parameter source: What messages call it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the text is too long, isn't JSON or has a key twice.
    package static func root(of json: [UInt8], named source: String) throws(BundleError) -> JSONElement {
        try JSONElement(
            parsing: json,
            named: source,
            maximumByteCount: Feed.maximumByteCount,
            refusedAs: .invalidFeed
        )
    }

    package static func name(of root: JSONElement) throws(BundleError) -> BundleName {
        let element = try root.required(Key.name)
        let text = try element.string()
        guard let name = BundleName(text) else {
            throw element.refused("“\(Printable.text(text))” is not a bundle name")
        }
        return name
    }

    package static func sequence(of root: JSONElement) throws(BundleError) -> Int64? {
        guard let element = try root.member(Key.sequence) else { return nil }
        guard case .number(let number) = element.value else { throw element.mismatch("a number") }
        guard let sequence = number.int64, (1...maximumSequence).contains(sequence) else {
            throw element.refused(
                "“\(Printable.text(number.text))” is not a whole number from 1 to \(maximumSequence)"
            )
        }
        return sequence
    }

    /// Whether a feed says that its publisher signs it. What isn't true says nothing: other members are ignored.
    package static func isSigned(_ root: JSONElement) throws(BundleError) -> Bool {
        try root.member(Key.signed)?.value == .bool(true)
    }

    /// The least time in seconds from one check to the next, by which a publisher slows its fleet. Another value than a whole number
    /// from 1 to ``Feed/maximumPoll`` says nothing: no mistake there, nor anybody who writes one, may end a fleet's updates.
    package static func poll(of root: JSONElement) throws(BundleError) -> Int64? {
        guard case .number(let number)? = try root.member(Key.poll)?.value, let seconds = number.int64,
            (1...Feed.maximumPoll).contains(seconds)
        else { return nil }
        return seconds
    }

    package static func entries(of root: JSONElement) throws(BundleError) -> [JSONElement] {
        try root.required(Key.versions).array()
    }

    package static func entry(_ element: JSONElement) throws(BundleError) -> FeedEntry {
        FeedEntry(
            version: try version(element.required(Key.version)),
            source: try element.required(Key.source).string(),
            size: try size(element.required(Key.size)),
            digest: try digest(element.required(Key.digest)),
            terms: try terms(element),
            contents: try contents(of: element) { (source) throws(BundleError) in try source.string() },
            patches: try patches(of: element) { (source) throws(BundleError) in try source.string() },
            otherMembers: try element.members()
                .filter { !Key.ofEntry.contains($0.key) }
                .map { JSONObject.Member($0.key, $0.element.value) }
        )
    }

    /// - Parameter location: Reads a `src`.
    package static func contents<Location>(
        of entry: JSONElement,
        _ location: (JSONElement) throws(BundleError) -> Location
    ) throws(BundleError) -> FeedContents<Location>? {
        guard let element = try entry.member(Key.contents) else { return nil }
        let hasList = try element.member(Key.source) != nil
        return FeedContents(
            filesDigest: try digest(element.required(Key.files)),
            list: hasList ? try file(element, location) : nil
        )
    }

    /// - Parameter location: Reads a `src`.
    package static func patches<Location>(
        of entry: JSONElement,
        _ location: (JSONElement) throws(BundleError) -> Location
    ) throws(BundleError) -> [FeedPatch<Location>] {
        guard let list = try entry.member(Key.patches) else { return [] }
        return try list.array()
            .map { (element) throws(BundleError) in
                FeedPatch(
                    from: try version(element.required(Key.from)),
                    base: try digest(element.required(Key.base)),
                    file: try file(element, location)
                )
            }
    }

    private static func file<Location>(
        _ element: JSONElement,
        _ location: (JSONElement) throws(BundleError) -> Location
    ) throws(BundleError) -> FeedFile<Location> {
        FeedFile(
            location: try location(element.required(Key.source)),
            size: try size(element.required(Key.size)),
            digest: try digest(element.required(Key.digest))
        )
    }

    private static func terms(_ element: JSONElement) throws(BundleError) -> ReleaseTerms {
        ReleaseTerms(
            channels: try element.member(Key.channels).map { (list) throws(BundleError) in
                try names(list, of: "channel")
            } ?? [],
            rollout: try element.member(Key.rollout).map(rollout) ?? .everyone,
            rolloutSince: try element.member(Key.rolloutSince).flatMap(time),
            groups: try element.member(Key.groups).map { (list) throws(BundleError) in
                try names(list, of: "group")
            } ?? [],
            isCritical: try element.member(Key.critical).map(flag) ?? false,
            minimumShell: try element.member(Key.minimumShell).map(version),
            notes: try element.member(Key.notes).map(notes),
            isRevoked: try element.member(Key.revoked).map(flag) ?? false
        )
    }

    private static func rollout(_ element: JSONElement) throws(BundleError) -> Rollout {
        guard case .number(let number) = element.value else { throw element.mismatch("a number of percent") }
        guard let rollout = Double(number.text).flatMap(Rollout.init(percent:)) else {
            throw element.refused("“\(Printable.text(number.text))” is not a number of percent from 0 to 100")
        }
        return rollout
    }

    /// Nil for what isn't one: devices don't need it.
    private static func time(_ element: JSONElement) -> Date? {
        guard case .string(let text) = element.value else { return nil }
        return try? Date(text, strategy: .iso8601)
    }

    private static func flag(_ element: JSONElement) throws(BundleError) -> Bool {
        guard case .bool(let flag) = element.value else { throw element.mismatch("true or false") }
        return flag
    }

    private static func notes(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        guard text.utf8.count <= ReleaseTerms.maximumNotesByteCount else {
            throw element.refused(
                "has \(text.utf8.count) bytes; the limit is \(ReleaseTerms.maximumNotesByteCount)"
            )
        }
        return text
    }

    private static func version(_ element: JSONElement) throws(BundleError) -> BundleVersion {
        let text = try element.string()
        guard let version = BundleVersion(text) else {
            throw element.refused("“\(Printable.text(text))” is not a version")
        }
        return version
    }

    private static func size(_ element: JSONElement) throws(BundleError) -> Int64 {
        guard case .number(let number) = element.value else { throw element.mismatch("a number of bytes") }
        guard let size = number.int64, size >= 1 else {
            throw element.refused(
                "“\(Printable.text(number.text))” is not a whole number of bytes from 1 to \(Int64.max)"
            )
        }
        return size
    }

    private static func digest(_ element: JSONElement) throws(BundleError) -> Digest {
        let text = try element.string()
        guard let digest = Digest(hex: text) else {
            throw element.refused("“\(Printable.text(text))” is not a SHA-256 digest of 64 hexadecimal digits")
        }
        return digest
    }

    private static func names(_ element: JSONElement, of kind: String) throws(BundleError) -> [String] {
        try element.array()
            .map { (element) throws(BundleError) -> String in
                let name = try element.string()
                guard !name.isEmpty else { throw element.refused("is an empty \(kind) name") }
                return name
            }
    }
}

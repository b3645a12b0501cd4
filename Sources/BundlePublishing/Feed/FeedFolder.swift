import BundleStore
import BundleUpdate
import Foundation

/// A folder that a web server offers: archives, and the feed that lists them.
///
/// The feed is replaced in one step: a reader gets the one before a change or the one after it. An archive is complete
/// and durable before a feed names it, and is removed a day after one no longer does, see ``WithdrawnFiles``.
///
/// A value type; safe to share between threads. Two processes that publish into one folder take turns.
package struct FeedFolder: Sendable {
    /// The feed's name in the folder.
    package static let feedFileName = "feed.json"

    let path: String
    /// What reports call it: the path, or the place that it is a working copy of.
    let name: String
    let now: @Sendable () -> Date
    /// Takes what is to be done once devices can see what was written.
    let whenPublished: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void
    /// The SHA-256 of a file of the place of which a working copy has the name alone; nil for a folder that isn't a working copy.
    let digestInPlace: (@Sendable (_ name: String) async throws -> Digest?)?

    /// Names a folder; the first ``publish(_:fileExtension:patchCount:keeping:changing:progress:)`` creates it.
    ///
    /// - Parameter now: The time.
    package init(_ path: String, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.path, name, self.now) = (path, path, now)
        (whenPublished, digestInPlace) = ({ $0() }, nil)
    }

    /// Names a working copy of a place.
    ///
    /// - Parameters:
    ///   - name: The place, for reports.
    ///   - digest: Gets the SHA-256 of a file of the place; nil where that isn't known.
    ///   - whenPublished: Takes what is to be done once the place has what was written.
    init(
        _ path: String,
        named name: String,
        now: @escaping @Sendable () -> Date,
        digestInPlace digest: @escaping @Sendable (_ name: String) async throws -> Digest?,
        whenPublished: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> Void
    ) {
        (self.path, self.name, self.now) = (path, name, now)
        (self.whenPublished, digestInPlace) = (whenPublished, digest)
    }

    /// Copies an archive into the folder, makes its content list and patches that lead to it, and enters it into the
    /// feed.
    ///
    /// - Parameters:
    ///   - draft: The release. If the feed offers it with the same content, its terms are changed, and patches are added that
    ///     it lacks.
    ///   - fileExtension: The extension of the copy's name, `zip` or `tar.gz`.
    ///   - change: Says to whom the release is offered: it gets the terms that the feed has, or the default ones.
    ///   - patchCount: From how many of the releases before it in each channel patches are made, 0 or more.
    ///   - retention: Which releases stay, and which files; nil for all.
    ///   - keys: Sign the feed, with the release as one that may be installed; necessary if the feed is signed.
    ///   - progress: Called periodically with the bytes that are done.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the folder's feed is wrong or another
    ///   bundle's, or devices would refuse it, `versionConflict` when it offers the version with other content, has done so within the last day, or has
    ///   revoked it, `invalidArgument`
    ///   for a pre-release without a channel, and for a key that is missing, `invalidArchive` when the archive can't be read, `outputUnavailable` when
    ///   the folder can't be written; `CancellationError` when the task is cancelled.
    package func publish(
        _ draft: ReleaseDraft,
        fileExtension: String,
        patchCount: Int,
        keeping retention: FeedRetention? = nil,
        signing keys: SigningKeys? = nil,
        changing change: (inout ReleaseTerms) -> Void = { _ in },
        progress: (PublishingStep, ByteProgress) -> Void = { _, _ in }
    ) throws -> Publication {
        let (name, version) = (draft.name, draft.version)
        try FileManager.default.makeFolder(path)
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        let document = try document(for: name) ?? FeedDocument(name: name)
        let signer = try signer(of: document, keys)
        let offered = document.entries.first { $0.version == version }
        var terms = offered?.terms ?? ReleaseTerms()
        change(&terms)
        terms.noteRollout(after: offered?.terms, at: now())
        guard !version.isPreRelease || !terms.channels.isEmpty else {
            throw BundleError(
                .invalidArgument,
                "\(name)@\(version) is a pre-release, which no channel offers by default; name its channels"
            )
        }
        let location = try BundlePath("\(name)-\(version).\(fileExtension)")
        let archivePath = "\(path)/\(location)"
        let copy = try StagedFile(for: archivePath)
        let (size, digest) = try copy.copy(draft.archive) { progress(.copying, $0) }
        guard digest == draft.digest else {
            throw BundleError(
                .invalidArchive,
                "\(Printable.line(draft.archive)) was changed while it was published; publish it again"
            )
        }
        var entry = FeedEntry(version: version, path: location, size: size, digest: digest, terms: terms)
        try Self.check(entry, against: offered, in: feedName)
        if offered == nil { try checkWithdrawn(location.string, digest, version) }
        (entry.contents, entry.patches) = (offered?.contents, offered?.patches ?? [])
        entry.otherMembers = offered?.otherMembers ?? []
        var (warnings, unpatched): ([String], [UnpatchedBase]) = ([], [])
        let bases = PatchBases(countPerChannel: patchCount)
        let changed: FeedDocument
        let signed: SignedPublication?
        do {
            try ReleaseFiles(draft: draft, folder: path, bases: bases)
                .add(to: &entry, &warnings, &unpatched, archive: copy.path, among: document.entries, progress: progress)
            let all = try document.adding(entry).entries
            let kept = retention?.kept(of: all, sparing: version) ?? all
            changed = try document.replacing(kept, signed: signer != nil)
            try Self.checkLength(of: changed)
            signed = try signer.map {
                try sign(changed, insteadOf: document, with: $0, adding: draft, entry, &warnings)
            }
            try copy.publish()
        } catch {
            // Nothing names what was made so far.
            let made = ListedArchives.fileNames(of: [entry]).subtracting(ListedArchives.fileNames(of: document.entries))
            _ = try? ListedArchives(of: name, in: path).remove(made)
            ReleaseFiles.finish(entry, in: path)
            throw error
        }
        defer { ReleaseFiles.finish(entry, in: path) }
        return Publication(
            entry: entry,
            archivePath: "\(self.name)/\(location)",
            isRepeated: offered != nil,
            warnings: warnings,
            unpatched: unpatched,
            report: try write(changed, insteadOf: document, signed, keeping: retention, bases)
        )
    }

    /// The archive of the highest version below one, which it would follow; nil when it isn't in the folder.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the folder's feed is wrong or another bundle's.
    package func archive(before version: BundleVersion, of name: BundleName) throws -> String? {
        let entries = try document(for: name)?.entries ?? []
        let previous = entries.filter { $0.version < version }.max { $0.version < $1.version }
        return previous.flatMap(ListedArchives(of: name, in: path).path)
    }

    /// What the feed offers.
    ///
    /// - Parameter name: The bundle that it must be about; nil for any.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no feed; `invalidFeed` when it is wrong or
    ///   another bundle's; `outputUnavailable` when it can't be read.
    package func read(_ name: BundleName? = nil) throws(BundleError) -> FeedDocument {
        if let document = try document(for: name) { return document }
        throw BundleError(.invalidArgument, "there is no \(Printable.line(feedName)); publish a release first")
    }

    /// Changes the feed.
    ///
    /// - Parameter keys: Sign the feed again; necessary if it is signed. The online key is enough; with the release key, that doesn't vouch
    ///   any more for what the feed stops offering.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no feed, the change isn't
    ///   possible, or a key is missing; `invalidFeed` when the feed is wrong or another bundle's, or devices would refuse it;
    ///   `outputUnavailable` when the folder can't be written.
    package func change(
        _ name: BundleName,
        _ change: FeedChange,
        signing keys: SigningKeys? = nil
    ) throws -> FeedChangeReport {
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        let document = try read(name)
        let signer = try signer(of: document, keys)
        let changed = try document.changing(change, at: now(), signed: signer != nil)
        try Self.checkLength(of: changed)
        let signed = try signer.map { signer in
            try signer.sign(
                Self.bytes(of: changed, insteadOf: document, signer),
                targets: signer.targets(afterChangeTo: changed.entries)
            )
        }
        return try write(changed, insteadOf: document, signed)
    }

    /// The feed as reports name it.
    package var feedName: String { "\(name)/\(Self.feedFileName)" }

    /// The feed's file.
    var feedPath: String { "\(path)/\(Self.feedFileName)" }

    /// The feed in the folder; nil when there is none.
    ///
    /// - Parameter name: The bundle that it must be about; nil for any.
    private func document(for name: BundleName?) throws(BundleError) -> FeedDocument? {
        guard FileManager.default.fileExists(atPath: feedPath) else { return nil }
        guard let file = try? InputDocument(feedPath, atMost: Feed.maximumByteCount) else {
            throw BundleError(.outputUnavailable, "\(Printable.line(feedName)) can't be read; check its permissions")
        }
        let document = try FeedDocument.parse(file.bytes, named: Printable.line(feedName))
        if let name, document.name != name {
            throw BundleError(
                .invalidFeed,
                "\(Printable.line(feedName)) is the feed of \(document.name), not of \(name); name another folder"
            )
        }
        return document
    }

    /// The signer of the feed; nil when nothing has to be signed.
    ///
    /// - Throws: As ``FeedSigner/make(_:isSigned:_:at:)``; ``/BundleModel/BundleError`` with code `invalidFeed` when the feed that was
    ///   read isn't the one that is signed, since others who write to the folder have changed it in between.
    private func signer(of document: FeedDocument, _ keys: SigningKeys?) throws(BundleError) -> FeedSigner? {
        guard let signer = try FeedSigner.make(self, isSigned: document.isSigned, keys, at: now()) else { return nil }
        let name = Printable.line(feedName)
        var verified = FeedDocument(name: document.name)
        if let bytes = signer.feed.feed { verified = try FeedDocument.parse(bytes, named: name) }
        guard verified == document else {
            throw BundleError(.invalidFeed, "\(name) was changed while it was read; try again")
        }
        return signer
    }

    private static func check(_ entry: FeedEntry, against offered: FeedEntry?, in feed: String) throws(BundleError) {
        guard let offered else { return }
        guard !offered.terms.isRevoked else {
            throw BundleError(
                .versionConflict,
                "\(Printable.line(feed)) has revoked \(offered.version); raise the version"
            )
        }
        guard offered.digest == entry.digest else {
            throw BundleError(
                .versionConflict,
                "\(Printable.line(feed)) offers \(offered.version) with other content; raise the version"
            )
        }
    }

    /// Throws when the feed has offered the version with other content: clients may have that, or be about to fetch it. It is
    /// known as long as the archive stays.
    private func checkWithdrawn(_ file: String, _ digest: Digest, _ version: BundleVersion) throws {
        guard WithdrawnFiles(in: path).names.contains(file) else { return }
        let archive = "\(path)/\(file)"
        guard FileManager.default.fileExists(atPath: archive), try Digest(ofFile: archive) != digest else { return }
        throw BundleError(
            .versionConflict,
            "\(Printable.line(feedName)) has offered \(version) with other content; raise the version"
        )
    }

    /// Throws when readers would refuse the feed.
    private static func checkLength(of document: FeedDocument) throws(BundleError) {
        let count = document.encoded().count
        guard count > Feed.maximumByteCount else { return }
        throw BundleError(
            .invalidArgument,
            "the feed would have \(count) bytes, over the limit of \(Feed.maximumByteCount); unpublish releases, or shorten "
                + "their notes"
        )
    }

    private func sign(
        _ document: FeedDocument,
        insteadOf before: FeedDocument,
        with signer: FeedSigner,
        adding draft: ReleaseDraft,
        _ entry: FeedEntry,
        _ warnings: inout [String]
    ) throws -> SignedPublication {
        let release = VouchedRelease(
            path: entry.source,
            byteCount: entry.size,
            digest: entry.digest,
            release: ReleaseName(draft.name, draft.version),
            // Not the one in the feed, which others may have written.
            contents: try draft.filesDigest()
        )
        let targets = signer.targets(adding: release, among: document.entries)
        warnings += FeedSigner.unsigned(document.entries, among: targets).map {
            "\(draft.name)@\($0.version) isn't signed, so that no device installs it; publish its archive again"
        }
        return try signer.sign(Self.bytes(of: document, insteadOf: before, signer), targets: targets)
    }

    /// The feed's file after a change; as it was signed when nothing changes.
    private static func bytes(
        of document: FeedDocument,
        insteadOf before: FeedDocument,
        _ signer: FeedSigner
    ) -> [UInt8] {
        guard document == before, let bytes = signer.feed.feed else { return document.encoded() }
        return bytes
    }

    /// Replaces the feed, if it has changed or is signed, and removes the files that it hasn't named for a while, and the documents that
    /// were superseded as long ago.
    ///
    /// - Parameters:
    ///   - signed: The feed with its signatures; nil for a feed without.
    ///   - retention: With one those files go too that no feed has named, which a killed process leaves, and those of
    ///     revoked releases that nobody needs.
    @discardableResult
    func write(
        _ document: FeedDocument,
        insteadOf before: FeedDocument,
        _ signed: SignedPublication? = nil,
        keeping retention: FeedRetention? = nil,
        _ bases: PatchBases = PatchBases(countPerChannel: 0)
    ) throws -> FeedChangeReport {
        func named(_ document: FeedDocument) -> Set<String> {
            let entries = document.entries
            return ListedArchives.fileNames(of: retention?.needed(among: entries, bases) ?? entries)
        }
        let archives = ListedArchives(of: document.name, in: path)
        let known = WithdrawnFiles(in: path)
        let present = archives.present
        let superseded = signed.map { MetadataFile.supersededNames(in: path).subtracting($0.names) } ?? []
        var withdrawn = known
        let expired = withdrawn.advance(
            from: named(before).union(superseded),
            to: named(document),
            present: present.union(superseded),
            at: now()
        )
        // Before the feed: a process that is killed in between leaves no file that nobody remembers.
        try withdrawn.write(in: path, insteadOf: known)
        if let signed {
            try signed.write()
        } else if document != before {
            try StagedFile(for: feedPath).publish(document.encoded())
        }
        // Devices have the present ones, and the next publication tries again.
        for name in expired.intersection(superseded) { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        let unlisted = present.subtracting(named(document)).subtracting(withdrawn.names)
        let kept = Set(document.entries.map(\.version.string))
        return FeedChangeReport(
            feedName: feedName,
            sequence: document.sequence,
            changed: document.entries.filter { !before.entries.contains($0) },
            poll: document.poll,
            isPollChanged: document.poll != before.poll,
            removed: before.entries.map(\.version).filter { !kept.contains($0.string) },
            removedArchives: try archives.remove(retention == nil ? expired : unlisted).map { "\(name)/\($0)" },
            withdrawnArchives: present.intersection(withdrawn.names).subtracting(known.names).sorted().map {
                "\(name)/\($0)"
            },
            signedUntil: signed?.expiry
        )
    }
}

/// The result of ``FeedFolder``'s publishing. A value type; safe to share between threads.
package struct Publication: Sendable {
    /// The entry in the feed.
    package let entry: FeedEntry
    /// The archive's copy.
    package let archivePath: String
    /// Whether the feed offered this version before, so that only its terms were set.
    package let isRepeated: Bool
    /// Which files couldn't be made, and why.
    package let warnings: [String]
    /// The earlier releases from which no patch leads to this one, though they are among those that patches are made from.
    package let unpatched: [UnpatchedBase]
    /// What has changed in the feed.
    package let report: FeedChangeReport
}

/// What takes time in publishing a release. A value type; safe to share between threads.
package enum PublishingStep: Equatable, Sendable {
    /// The archive is copied.
    case copying
    /// The patch from an earlier version is made.
    case patching(from: BundleVersion)
}

import BundleModel
import BundleStore
import BundleTrust
import BundleUpdate
import Foundation
import Synchronization

/// Publishes to a place over the network: what is needed of the place is copied to a folder of this machine, the change is made there, and
/// what it has changed is applied to the place. Where others have published meanwhile, that begins again with what is there now.
///
/// A value type; safe to share between threads.
package struct PlacePublication: Sendable {
    /// How often it begins again. Of several that publish at once, one is through each time.
    private static let maximumAttemptCount = 50
    /// The longest pause before it does, for each attempt so far.
    private static let pause = Duration.milliseconds(50)

    private let place: any PublishingPlace
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - place: Where the feed is published.
    ///   - now: The time.
    ///   - sleep: Pauses for a while.
    package init(
        _ place: any PublishingPlace,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.place, self.now, self.sleep) = (place, now, sleep)
    }

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - needed: The names of the files besides the feed and its documents that `body` reads, by the feed; nil for none.
    ///   - progress: Called periodically with the bytes that are sent.
    ///   - body: Makes the change, also more than once.
    /// - Returns: The result of `body`.
    /// - Throws: What `body` throws, with the place's name for the folder's; as ``PublishingPlace``; ``/BundleModel/BundleError`` with code
    ///   `outputUnavailable` when others publish all the time.
    package func run<Result>(
        needing needed: (FeedDocument?) -> Set<String> = { _ in [] },
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in },
        _ body: (FeedFolder) async throws -> Result
    ) async throws -> Result {
        for attempt in 1...Self.maximumAttemptCount {
            do {
                return try await attemptOnce(needed, progress, body)
            } catch is PlaceConflict {
                try await sleep(Self.pause * Double.random(in: 0...Double(attempt)))
            }
        }
        throw BundleError(
            .outputUnavailable,
            "others publish to \(Printable.line(place.name)) all the time; try again later"
        )
    }

    private func attemptOnce<Result>(
        _ needed: (FeedDocument?) -> Set<String>,
        _ progress: @escaping @Sendable (ByteProgress) -> Void,
        _ body: (FeedFolder) async throws -> Result
    ) async throws -> Result {
        let contents = try await place.contents()
        let copy = try WorkingCopy(of: contents)
        // Its files go with it.
        defer { withExtendedLifetime(copy) {} }
        let actions = DeferredActions()
        let feed = FeedFolder(
            copy.path,
            named: place.name,
            now: now,
            digestInPlace: { [place] in try await place.digest(of: $0, in: contents) },
            whenPublished: actions.add
        )
        let (result, change): (Result, PlaceChange)
        do {
            let before = try await fetch(contents, needed, into: copy, feed)
            result = try await body(feed)
            change = try copy.change(from: before, contents)
        } catch let error as BundleError {
            // What was read may be of two publications.
            guard try await place.contents() == contents else { throw PlaceConflict() }
            throw error.replacing(copy.path, by: place.name)
        }
        // A failure here isn't tried again: the next publication completes what was written.
        if !change.isEmpty { try await place.apply(change, to: contents, progress: progress) }
        actions.run()
        return result
    }

    /// - Returns: SHA-256 of each file that is there with its bytes.
    private func fetch(
        _ contents: PlaceContents,
        _ needed: (FeedDocument?) -> Set<String>,
        into copy: WorkingCopy,
        _ feed: FeedFolder
    ) async throws -> [String: Digest] {
        try await fetch(copy.documentNames, contents, into: copy)
        let document = contents.files[FeedFolder.feedFileName] == nil ? nil : try feed.read()
        try await fetch(needed(document).intersection(contents.files.keys).sorted(), contents, into: copy)
        return try copy.digests()
    }

    private func fetch(_ names: [String], _ contents: PlaceContents, into copy: WorkingCopy) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                if index >= 8 { try await group.next() }
                group.addTask { [place, path = copy.path] in
                    let limit = WorkingCopy.isDocument(name) ? Int64(WorkingCopy.maximumDocumentByteCount) : .max
                    try await place.download(name, of: contents, to: "\(path)/\(name)", atMost: limit)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// What is to be done once a place has what was written. Thread-safe.
private final class DeferredActions: Sendable {
    private let actions = Mutex<[@Sendable () -> Void]>([])

    func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

    func run() {
        let actions = actions.withLock { $0 }
        for action in actions { action() }
    }
}

/// A folder with the files of a place: those that aren't needed are there by their names alone, and empty.
private final class WorkingCopy: Sendable {
    /// The longest document.
    static let maximumDocumentByteCount = max(Feed.maximumByteCount, TrustLimits.targetsByteCount)
    /// How many versions of a document are looked at: a publication that was interrupted may have left newer ones.
    private static let versionCount = 8
    /// Files that are replaced in place. The feed comes last but for the timestamp: each leads to what is there already.
    private static let mutableNames = [
        WithdrawnFiles.fileName, FeedFolder.feedFileName, RoleName.timestamp.fileName,
    ]

    let path: String
    /// The names of the feed and of what belongs to it.
    let documentNames: [String]
    private let folder: ScratchFolder

    init(of contents: PlaceContents) throws {
        folder = try ScratchFolder()
        path = folder.path
        documentNames = Self.documentNames(among: contents.files.keys)
        for name in contents.files.keys.sorted() where !documentNames.contains(name) {
            guard FileManager.default.createFile(atPath: "\(path)/\(name)", contents: nil) else {
                throw BundleError(.outputUnavailable, "\(Printable.line(path)) can't be written; free some space")
            }
        }
    }

    /// Whether a file is the feed, or belongs to it.
    static func isDocument(_ name: String) -> Bool {
        mutableNames.contains(name) || MetadataFile.isSuperseded(name)
            || MetadataFile.version(of: .root, in: name) != nil
    }

    private static func documentNames(among names: some Sequence<String>) -> [String] {
        let present = Set(names)
        let roots = present.filter { MetadataFile.version(of: .root, in: $0) != nil }
        let versioned = [RoleName.targets, .snapshot, .feedFile].flatMap { role in
            present.compactMap { name in MetadataFile.version(of: role, in: name) }.sorted().suffix(versionCount)
                .map { role.fileName(version: $0) }
        }
        return mutableNames.filter(present.contains) + roots.sorted() + versioned
    }

    /// SHA-256 of each file that isn't empty.
    func digests() throws -> [String: Digest] {
        var digests: [String: Digest] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let file = "\(path)/\(name)"
            guard try size(of: file) > 0 else { continue }
            digests[name] = try Digest(ofFile: file)
        }
        return digests
    }

    /// What is different from what was fetched.
    func change(from before: [String: Digest], _ contents: PlaceContents) throws -> PlaceChange {
        let (after, names) = (try digests(), Set(try FileManager.default.contentsOfDirectory(atPath: path)))
        var change = PlaceChange()
        for (name, digest) in after.sorted(by: { $0.key < $1.key }) where before[name] != digest {
            let file = "\(path)/\(name)"
            let sent = PlaceChange.File(name: name, path: file, size: try size(of: file), digest: digest)
            let present = contents.files[name]
            guard present?.digest != digest else { continue }
            if present == nil, !Self.mutableNames.contains(name) {
                change.added.append(sent)
            } else {
                change.replaced.append(sent)
            }
        }
        func rank(_ file: PlaceChange.File) -> Int { (Self.mutableNames.firstIndex(of: file.name) ?? -1) }
        change.replaced.sort { (rank($0), $0.name) < (rank($1), $1.name) }
        change.removed = contents.files.keys.filter { !names.contains($0) }.sorted()
        return change
    }

    private func size(of file: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        return (attributes[.size] as? Int).map(Int64.init) ?? 0
    }
}

extension BundleError {
    /// The same error about a place, of which `path` is a working copy.
    fileprivate func replacing(_ path: String, by name: String) -> BundleError {
        BundleError(code, problem.replacing(path, with: name), remedy, cause: cause)
    }
}

import BundleServing
import BundleStore
import BundleUpdate
import Foundation

/// A repository of a registry to which releases are published: a tag's manifest has the feed and all that is beside it as its layers, and
/// a manifest for each version has its archive alone, for `oras pull` and `skopeo copy`. Readers see the old manifest or the new one, and a
/// registry's garbage collection keeps what it names. Safe to share between threads.
///
/// Registries put a manifest at a tag without conditions. It is asked just before, and again after it, whether somebody else has published:
/// two publishers at the same instant can overwrite each other nevertheless, so that one job at a time should publish. The tags of versions
/// stay when a release is removed from the feed; who wants their room back removes them from the registry.
package struct OCIPublishingPlace: PublishingPlace {
    private let client: OCIClient

    /// - Parameter client: Of the repository, with the tag of the feed; it has to be permitted to pull and push.
    package init(_ client: OCIClient) { self.client = client }

    package var name: String { "\(client.reference)" }

    package func contents() async throws -> PlaceContents {
        guard let received = try await client.manifest() else { return PlaceContents(files: [:]) }
        guard received.manifest.artifactType == OCIManifest.feedType else {
            throw BundleError(
                .invalidArgument,
                "\(name) has something else than a feed; name another repository, or another tag"
            )
        }
        var files: [String: PlaceContents.File] = [:]
        for layer in received.manifest.layers {
            guard let title = layer.title else { continue }
            files[title] = PlaceContents.File(
                size: layer.size,
                digest: layer.digest,
                revision: OCIDigest.text(layer.digest)
            )
        }
        return PlaceContents(files: files, revision: OCIDigest.text(received.digest))
    }

    package func digest(of name: String, in contents: PlaceContents) -> Digest? { contents.files[name]?.digest }

    package func download(
        _ name: String,
        of contents: PlaceContents,
        to path: String,
        atMost maximumByteCount: Int64
    ) async throws {
        guard let file = contents.files[name], let digest = file.digest else {
            throw BundleError(.networkUnavailable, "\(self.name) has no \(Printable.text(name)); try again")
        }
        guard file.size <= maximumByteCount else {
            throw BundleError(
                .invalidFeed,
                "\(self.name): \(Printable.text(name)) has \(ByteCount.text(file.size)), over the limit of "
                    + "\(ByteCount.text(maximumByteCount)); name another place"
            )
        }
        let output = try SavedFile(at: path)
        do {
            try await client.read(digest, size: file.size) { try output.append($0) }
            try output.close()
            guard try Digest(ofFile: path) == digest else {
                throw BundleError(
                    .networkUnavailable,
                    "\(self.name): \(Printable.text(name)) is damaged; check the registry"
                )
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    package func apply(
        _ change: PlaceChange,
        to contents: PlaceContents,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws {
        let manifest = try OCIPublication(change, to: contents, named: name).manifest
        let releases = OCIPublication.releases(change.added).filter { $0.tag != client.reference.tag }
        for release in releases { try await check(release) }
        try await upload(change.added + change.replaced, progress)
        for release in releases { try await client.put(release.manifest, tag: release.tag) }
        // The last moment at which nothing is replaced.
        guard try await client.manifestDigest().map(OCIDigest.text) == contents.revision else { throw PlaceConflict() }
        try await client.put(manifest, tag: client.reference.tag)
        guard try await client.manifest()?.digest == Digest(of: manifest.encoded) else { throw PlaceConflict() }
    }

    /// Throws when the tag of a version has what wasn't published here, such as an image.
    private func check(_ release: OCIPublication.Release) async throws {
        let present: OCIManifest?
        do {
            present = try await client.manifest(tag: release.tag)?.manifest
        } catch let error as BundleError where error.code == .invalidFeed {
            throw refusal(release, cause: error)
        }
        guard present?.artifactType ?? OCIManifest.releaseType == OCIManifest.releaseType else {
            throw refusal(release)
        }
        guard present == nil || present?.artifactType != nil else { throw refusal(release) }
    }

    private func refusal(_ release: OCIPublication.Release, cause: (any Error)? = nil) -> BundleError {
        BundleError(
            .outputUnavailable,
            "\(name): the tag \(release.tag) of the repository has something else than a release; publish to a repository of its own",
            cause: cause
        )
    }

    private func upload(
        _ files: [PlaceChange.File],
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws {
        let empty = OCIManifest.emptyConfiguration
        try await client.upload(Digest(of: empty), size: Int64(empty.count), reading: { _ in empty })
        let total = files.reduce(0) { $0 + $1.size }
        var done: Int64 = 0
        for file in files {
            let before = done
            try await client.upload(
                file.digest,
                size: file.size,
                reading: { range in try await Self.read(range, of: file) },
                progress: { progress(ByteProgress(done: before + $0, total: total)) }
            )
            done += file.size
        }
    }

    private static func read(_ range: Range<Int64>, of file: PlaceChange.File) async throws -> [UInt8] {
        try await withTaskExecutorPreference(BlockingExecutor()) {
            let handle: FileHandle
            let bytes: Data
            do {
                handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file.path))
                try handle.seek(toOffset: UInt64(range.lowerBound))
                bytes = try handle.read(upToCount: range.count) ?? Data()
            } catch {
                throw BundleError(
                    .inputUnavailable,
                    "\(Printable.line(file.path)) can't be read; check it",
                    cause: error
                )
            }
            guard bytes.count == range.count else {
                throw BundleError(
                    .inputUnavailable,
                    "\(Printable.line(file.path)) became shorter while it was read; publish again"
                )
            }
            return Array(bytes)
        }
    }
}

/// What a change makes of a place's manifest, and of those of its versions. Pure; a value type.
struct OCIPublication {
    /// A manifest for the archive of a release.
    struct Release: Equatable {
        let tag: String
        let manifest: OCIManifest
    }

    /// The feed's.
    let manifest: OCIManifest

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when another file has a name that is added, when a name can't
    ///   be a title, and when there are more files than a manifest may have.
    init(_ change: PlaceChange, to contents: PlaceContents, named name: String) throws(BundleError) {
        var files = contents.files
        for name in change.removed { files[name] = nil }
        for file in change.added + change.replaced {
            let isAdded = change.added.contains(file)
            if isAdded, let present = files[file.name], present.digest != file.digest {
                throw BundleError(
                    .outputUnavailable,
                    "\(name) has another file called \(Printable.text(file.name)); raise the version, or remove that release first"
                )
            }
            guard OCIReference.isTitle(file.name) else {
                throw BundleError(
                    .outputUnavailable,
                    "\(name) can't have a file called “\(Printable.text(file.name))”; rename it"
                )
            }
            files[file.name] = PlaceContents.File(
                size: file.size,
                digest: file.digest,
                revision: OCIDigest.text(file.digest)
            )
        }
        let layers = files.compactMap { title, file in
            file.digest.map { OCIManifest.Layer(title: title, size: file.size, digest: $0) }
        }
        manifest = OCIManifest(artifactType: OCIManifest.feedType, layers: layers)
        guard layers.count <= OCIManifest.maximumLayerCount, manifest.encoded.count <= OCIManifest.maximumByteCount
        else {
            throw BundleError(
                .outputUnavailable,
                "\(name) would have \(layers.count) files, more than the manifest of a registry may; remove old releases from the feed"
            )
        }
    }

    /// The manifests of the archives among these files. A version that can't be a tag has none.
    static func releases(_ files: [PlaceChange.File]) -> [Release] {
        files.compactMap { file in
            guard let (name, version) = ListedArchives.release(ofArchive: file.name) else { return nil }
            // A tag has no “+”; Helm does it this way too.
            let tag = version.string.replacing("+", with: "_")
            guard OCIReference.isTag(tag) else { return nil }
            let manifest = OCIManifest(
                artifactType: OCIManifest.releaseType,
                layers: [OCIManifest.Layer(title: file.name, size: file.size, digest: file.digest)],
                release: OCIManifest.Release(title: name.string, version: version.string)
            )
            return Release(tag: tag, manifest: manifest)
        }
    }
}

/// A file that is written from its start to its end.
private struct SavedFile {
    private let handle: FileHandle
    private let path: String

    init(at path: String) throws(BundleError) {
        self.path = path
        try? FileManager.default.removeItem(atPath: path)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw Self.failure(path, nil)
        }
        self.handle = handle
    }

    func append(_ bytes: [UInt8]) throws(BundleError) {
        do { try handle.write(contentsOf: bytes) } catch { throw Self.failure(path, error) }
    }

    func close() throws(BundleError) {
        do { try handle.close() } catch { throw Self.failure(path, error) }
    }

    private static func failure(_ path: String, _ cause: (any Error)?) -> BundleError {
        BundleError(
            .outputUnavailable,
            "\(Printable.line(path)) can't be written; check its folder, and the free space",
            cause: cause
        )
    }
}

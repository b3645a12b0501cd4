import BundleArchive
import BundleStore

/// Decides which manifest a release gets and whether it matches the files.
package enum ReleaseManifest {
    /// The manifest that replaces the archive's, the one in the archive, or the one in the options.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when there is none or the two disagree,
    ///   `invalidFeed` when it isn't the expected release.
    package static func choose(
        found: [UInt8]?,
        replacement: ManifestFile? = nil,
        options: InstallOptions,
        archive: String
    ) throws -> (manifest: BundleManifest, warnings: [String]) {
        let (manifest, warnings) =
            if let replacement = try replacement?.parse() { (replacement.manifest, replacement.warnings) } else {
                try parse(found, options: options, archive: archive)
            }
        if let expected = options.expected,
            (manifest.name, manifest.version.string) != (expected.name, expected.version.string)
        {
            throw BundleError(
                .invalidFeed,
                "\(archive): holds \(manifest.name)@\(manifest.version), but \(expected.name)@\(expected.version) was "
                    + "advertised; nothing was installed; publish it again"
            )
        }
        return (manifest, warnings)
    }

    private static func parse(
        _ found: [UInt8]?,
        options: InstallOptions,
        archive: String
    ) throws -> (manifest: BundleManifest, warnings: [String]) {
        guard let found else {
            guard let manifest = options.manifest else {
                throw BundleError(
                    .invalidManifest,
                    "\(archive): has no \(BundleManifest.fileName) at its root or in its single top folder",
                    .giveManifest
                )
            }
            return (manifest, [])
        }
        let parsed: ParsedManifest
        do {
            parsed = try BundleManifest.parse(found)
        } catch {
            throw error.located(at: archive)
        }
        // The caller compares advertised values, with messages about the feed.
        if options.expected == nil, let given = options.manifest,
            (given.name, given.version) != (parsed.manifest.name, parsed.manifest.version)
        {
            throw BundleError(
                .invalidManifest,
                "\(archive): its manifest says \(parsed.manifest.name)@\(parsed.manifest.version), not "
                    + "\(given.name)@\(given.version)",
                .omitNameAndVersion
            )
        }
        return (parsed.manifest, parsed.warnings)
    }

    /// What becomes of the paths of an archive without a manifest, if a folder contains all of its files, as when a folder is
    /// compressed by Finder; none otherwise.
    package static func warnings(topFolder: String?, of manifest: BundleManifest, in archive: String) -> [String] {
        guard let topFolder, !manifest.entry.string.hasPrefix("\(topFolder)/") else { return [] }
        let folder = Printable.line(topFolder)
        return [
            "\(archive): every file is in its folder \(folder), so that nothing is at the bundle's root: its pages open below "
                + "/\(folder)/; pack what is in the folder, or add a \(BundleManifest.fileName) to it"
        ]
    }

    /// The files that a manifest names, and the page of its root.
    package static func namedFiles(_ manifest: BundleManifest) -> Set<BundlePath> {
        Set(references(manifest).compactMap(\.file) + [manifest.entry])
    }

    private static func references(_ manifest: BundleManifest) -> [(key: String, file: BundlePath?)] {
        var named = [("fallback.file", manifest.fallback?.file), ("offlinePage", manifest.offlinePage)]
        // A bundle may have no page at all, unless its manifest names one.
        if manifest.entry != BundleManifest.defaultEntry { named.append(("entry", manifest.entry)) }
        for (index, rule) in manifest.network.rules.enumerated() {
            named.append(("network.rules[\(index)].mock.file", rule.mock?.file))
        }
        return named
    }

    /// Checks that the files named in a manifest exist.
    ///
    /// - Parameter existing: Returns those of the given paths that are files.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest`, naming the key; what `existing` throws.
    package static func check(
        _ manifest: BundleManifest,
        in archive: String,
        existing: (Set<BundlePath>) throws -> Set<BundlePath>
    ) throws {
        let named = references(manifest)
        let found = try existing(Set(named.compactMap(\.file)))
        for case (let key, let path?) in named where !found.contains(path) {
            throw BundleError(
                .invalidManifest,
                "\(archive): \(BundleManifest.fileName): \(key): “\(Printable.text(path.string))” is not there; "
                    + "correct the manifest, or add the file"
            )
        }
    }
}

/// Finds the manifest in an archive by the names of its entries, without installing anything.
struct ManifestSearch {
    private let reader: ArchiveReader
    /// The manifests one folder deep, by their folders: two of them are none.
    private var nested: [String: [UInt8]] = [:]
    private var topNames: Set<String> = []

    init(_ reader: ArchiveReader) {
        self.reader = reader
    }

    /// The manifest's bytes, at most one more than a manifest may have; nil when there is none.
    consuming func run() throws(ArchiveError) -> [UInt8]? {
        while let entry = try reader.nextEntry() {
            guard let path = try? EntryRules.path(of: entry), !MacOSMetadata.includes(path) else { continue }
            let components = path.components
            // Two top names say that there is no single folder; more needn't be kept.
            if topNames.count < 2 { topNames.insert(String(components[0])) }
            guard entry.kind == .file, path.lastComponent == BundleManifest.fileName, components.count <= 2 else {
                continue
            }
            let content = try content(of: entry)
            if components.count == 1 { return content }
            if nested.count < 2 { nested[String(components[0])] = content }
        }
        return topNames.count == 1 && nested.count == 1 ? nested.first?.value : nil
    }

    private func content(of entry: ArchiveEntry) throws(ArchiveError) -> [UInt8] {
        let limit = Int64(BundleManifest.maximumByteCount + 1)
        var content = [UInt8](repeating: 0, count: Int(min(entry.byteCount, limit)))
        var count = 0
        while count < content.count {
            let read = try read(into: &content, from: count)
            guard read > 0 else { break }
            count += read
        }
        return Array(content.prefix(count))
    }

    private func read(into content: inout [UInt8], from start: Int) throws(ArchiveError) -> Int {
        var (result, failure): (Int, ArchiveError?) = (0, nil)
        content.withUnsafeMutableBytes { bytes in
            do throws(ArchiveError) {
                result = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return result
    }
}

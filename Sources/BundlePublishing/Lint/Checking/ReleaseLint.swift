import BundleServing
import BundleStore
import Foundation

/// Checks the files of a release: what they refer to, and what would miss without a network. It reads the release alone, each
/// file once. A value type; safe to share between threads.
struct ReleaseLint: Sendable {
    let release: Release
    let urls: ReleaseURLs
    /// The beginnings of URLs elsewhere that the publisher allows.
    let allowed: [String]

    /// - Throws: `CancellationError` when the task is cancelled.
    func findings() throws -> [LintFinding] {
        var found: [LintFinding] = []
        let documents = try documents(&found)
        let maps = ImportMapUse(documents, urls)
        let check = ReferenceCheck(urls: urls, allowed: allowed)
        for document in documents {
            try Task.checkCancellation()
            let own = maps.maps(of: document)
            var seen: Set<String> = []
            for reference in document.references
            where seen.insert("\(reference.kind) \(reference.text)").inserted {
                if let finding = check.finding(reference, in: document, own) { found.append(finding) }
            }
        }
        let sourceMaps = try assets(that: .sourceMap, documents).compactMap { asset in
            try Task.checkCancellation()
            return sourceMapFinding(asset, check, &found)
        }
        return found + sourceMaps + entryFindings + typeFindings
    }

    /// The files that refer to others: those of a media type that does, and web app manifests, whatever their media type,
    /// where a page has one.
    private func documents(_ found: inout [LintFinding]) throws -> [LintDocument] {
        var documents: [LintDocument] = []
        for asset in release.assets {
            try Task.checkCancellation()
            guard let search = Self.search(asset.mediaType.prefix { $0 != ";" }) else { continue }
            if let document = document(asset, search, &found) { documents.append(document) }
        }
        let searched = Set(documents.map(\.path))
        return documents
            + assets(that: .manifest, documents).filter { !searched.contains($0.path) }
            .compactMap { document($0, Self.listing(WebManifestReferences.find), &found) }
    }

    /// Nil for a file that no origin covers, or that can't be searched.
    private func document(
        _ asset: Asset,
        _ search: ([UInt8]) -> References,
        _ found: inout [LintFinding]
    ) -> LintDocument? {
        guard let url = urls.url(of: asset.path), let contents = contents(of: asset, &found) else { return nil }
        let references = search(contents)
        if references.list.count > LintLimits.maximumReferenceCount {
            let message = "refers to \(references.list.count) URLs; \(LintLimits.maximumReferenceCount) are checked"
            found.append(LintFinding(.unchecked, isError: false, file: asset.path, message))
        }
        return LintDocument(asset, at: url, references)
    }

    private func contents(of asset: Asset, _ found: inout [LintFinding]) -> [UInt8]? {
        guard asset.byteCount <= LintLimits.maximumFileByteCount, let contents = asset.contents else {
            let limit = LintLimits.maximumFileByteCount
            let message = "isn't searched for references: it has \(asset.byteCount) bytes, and the limit is \(limit)"
            found.append(LintFinding(.unchecked, isError: false, file: asset.path, message))
            return nil
        }
        return contents.array
    }

    /// The files that references of a kind lead to, each once.
    private func assets(that kind: Reference.Kind, _ documents: [LintDocument]) -> [Asset] {
        var seen: Set<String> = []
        return documents.flatMap { document in
            document.references.filter { $0.kind == kind }.compactMap { reference in
                ModuleAddress.url(of: reference, from: document.base, [:])
                    .flatMap { urls.file(at: $0, isNavigation: false) }
                    .flatMap { seen.insert($0.path).inserted ? $0 : nil }
            }
        }
    }

    /// What developers' tools would look for: sources that a source map has no content of.
    private func sourceMapFinding(
        _ asset: Asset,
        _ check: ReferenceCheck,
        _ found: inout [LintFinding]
    ) -> LintFinding? {
        guard let url = urls.url(of: asset.path), let contents = contents(of: asset, &found) else { return nil }
        let document = LintDocument(asset, at: url, References())
        let missing = SourceMap.sourcesWithoutContent(in: contents).prefix(LintLimits.maximumReferenceCount).filter {
            check.finding(Reference($0, .sourceMap, line: 1), in: document, [[:]])?.code == .sourceMap
        }
        guard let first = missing.first else { return nil }
        let others = missing.count > 1 ? " and of \(missing.count - 1) more" : ""
        let message =
            "has no content of “\(Printable.text(String(first.prefix(200))))”\(others), not in the release either"
        return LintFinding(.sourceMap, isError: false, file: asset.path, message)
    }

    private static func listing(_ find: @escaping ([UInt8]) -> [Reference]) -> ([UInt8]) -> References {
        { bytes in
            var references = References()
            references.list = find(bytes)
            return references
        }
    }

    /// Nil for a file that refers to nothing.
    private static func search(_ essence: Substring) -> (([UInt8]) -> References)? {
        switch essence {
        case "text/html", "application/xhtml+xml", "image/svg+xml": HTMLReferences.find
        case "text/css": listing(CSSReferences.find)
        case "text/javascript": listing(ScriptReferences.find)
        case "application/manifest+json": listing(WebManifestReferences.find)
        default: nil
        }
    }

    /// The other pages that a manifest names are there, or the archive can't be read.
    private var entryFindings: [LintFinding] {
        let entry = release.manifest.entry
        guard release.asset(at: entry) == nil else { return [] }
        return [LintFinding(.entry, isError: false, "the entry page “\(entry)” is not in the release")]
    }

    /// One for each ending of names.
    private var typeFindings: [LintFinding] {
        var paths: [String: [String]] = [:]
        for asset in release.assets where asset.mediaType == "application/octet-stream" {
            let name = asset.path.split(separator: "/").last ?? ""
            let ending = name.lastIndex(of: ".").map { String(name[$0...]).lowercased() } ?? "no ending"
            paths[ending, default: []].append(asset.path)
        }
        return paths.sorted { $0.key < $1.key }.map { ending, paths in
            let others = paths.count > 1 ? " and \(paths.count - 1) more with \(ending)" : ""
            let message = "has no known media type\(others)"
            return LintFinding(.unknownMediaType, isError: false, file: paths[0], message)
        }
    }
}

/// A file of a release that refers to URLs. A value type; safe to share between threads.
struct LintDocument: Sendable {
    let path: String
    /// What its references are resolved against.
    let base: URL
    let references: [Reference]
    /// Whether it has an import map of its own, an empty one at least.
    let isPage: Bool
    /// The addresses of its import maps, by specifier.
    let imports: [String: URL]

    /// - Parameter url: The file's own.
    init(_ asset: Asset, at url: URL, _ references: References) {
        let base = references.base.flatMap { URL(string: $0, relativeTo: url)?.absoluteURL } ?? url
        path = asset.path
        self.base = base
        self.references = Array(references.list.prefix(LintLimits.maximumReferenceCount))
        isPage = MediaType(asset.mediaType)?.isPage == true
        imports = references.imports.compactMapValues { URL(string: $0, relativeTo: base)?.absoluteURL }
    }
}

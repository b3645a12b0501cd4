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
        var documents: [(path: String, url: URL, references: References)] = []
        var imports: [String: URL] = [:]
        for asset in release.assets {
            try Task.checkCancellation()
            guard let url = urls.url(of: asset.path), let references = references(of: asset, &found) else { continue }
            documents.append((asset.path, url, references))
            for (specifier, address) in references.imports {
                imports[specifier] = URL(string: address, relativeTo: url)?.absoluteURL
            }
        }
        let check = ReferenceCheck(urls: urls, imports: imports, allowed: allowed)
        for document in documents {
            try Task.checkCancellation()
            let base = document.references.base.flatMap { URL(string: $0, relativeTo: document.url)?.absoluteURL }
            var seen: Set<String> = []
            for reference in document.references.list.prefix(LintLimits.maximumReferenceCount)
            where seen.insert("\(reference.kind) \(reference.text)").inserted {
                if let finding = check.finding(reference, in: document.path, base: base ?? document.url) {
                    found.append(finding)
                }
            }
        }
        return found + entryFindings + typeFindings
    }

    /// Nil for a file that refers to nothing.
    private func references(of asset: Asset, _ found: inout [LintFinding]) -> References? {
        guard let search = Self.search(asset.mediaType.prefix { $0 != ";" }) else { return nil }
        guard asset.byteCount <= LintLimits.maximumFileByteCount, let contents = asset.contents else {
            let limit = LintLimits.maximumFileByteCount
            let message = "isn't searched for references: it has \(asset.byteCount) bytes, and the limit is \(limit)"
            found.append(LintFinding(.unchecked, isError: false, file: asset.path, message))
            return nil
        }
        let references = search(contents.array)
        if references.list.count > LintLimits.maximumReferenceCount {
            let message = "refers to \(references.list.count) URLs; \(LintLimits.maximumReferenceCount) are checked"
            found.append(LintFinding(.unchecked, isError: false, file: asset.path, message))
        }
        return references
    }

    private static func search(_ essence: Substring) -> (([UInt8]) -> References)? {
        func listing(_ find: @escaping ([UInt8]) -> [Reference]) -> ([UInt8]) -> References {
            { bytes in
                var references = References()
                references.list = find(bytes)
                return references
            }
        }
        return switch essence {
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

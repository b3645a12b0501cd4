import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// The bundles' origins as a source of the correct bytes: a damaged file is requested from the URLs that it serves.
package struct OriginRepairSource: RepairSource {
    private let document: OriginDocument

    /// - Parameter transport: The network.
    package init(_ transport: any OriginTransport) {
        document = OriginDocument(transport: transport)
    }

    /// Requests each missing file. An origin that doesn't respond isn't asked again; one that sends other bytes isn't
    /// an error.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable`, once everything has been requested, when
    ///   an origin didn't respond; `storeUnavailable` when the store can't be written; `CancellationError` when the
    ///   task is cancelled.
    package func supply(_ repair: StoreRepair) async throws {
        var failures: [String: BundleError] = [:]
        var asked: Set<String> = []
        var found: Set<Digest> = []
        var counts: [OriginURL: (asked: Int, found: Int)] = [:]
        for file in repair.missingFiles {
            for (mapping, url) in Self.urls(of: file) where !found.contains(file.digest) {
                try Task.checkCancellation()
                let origin = mapping.origin
                guard failures[origin.authority] == nil, asked.insert("\(file.digest) \(url)").inserted else {
                    continue
                }
                counts[origin, default: (0, 0)].asked += 1
                do {
                    guard try await fetch(url, file, for: repair) else { continue }
                    found.insert(file.digest)
                    counts[origin, default: (0, 0)].found += 1
                } catch let error as BundleError where error.code == .networkUnavailable {
                    failures[origin.authority] = error
                }
            }
        }
        for (origin, count) in counts.sorted(by: { $0.key.description < $1.key.description }) {
            let failure = failures[origin.authority]?.message
            repair.noteAttempt(at: "\(origin)", failure ?? "\(count.found) of \(count.asked) missing files")
        }
        if let failure = failures.min(by: { $0.key < $1.key }) { throw failure.value }
    }

    /// The URLs of a file on the network.
    private static func urls(of file: Asset) -> [(OriginMapping, URL)] {
        guard let path = try? BundlePath(file.path) else { return [] }
        return file.release.manifest.origins.compactMap { mapping in
            let folder = mapping.folder?.components ?? []
            guard path.components.starts(with: folder), path.components.count > folder.count else { return nil }
            let rest = path.components.dropFirst(folder.count).map { PercentEncoding.encode(component: $0) }
            return URL(string: mapping.origin.description + rest.joined(separator: "/")).map { (mapping, $0) }
        }
    }

    /// Returns whether the URL has the correct bytes.
    private func fetch(_ url: URL, _ file: Asset, for repair: StoreRepair) async throws -> Bool {
        let response = try await document.response(for: url).response
        guard response.head.status == .ok else { return false }
        do {
            var rest = file.byteCount
            for try await chunk in response.body {
                try Task.checkCancellation()
                rest -= chunk.count
                guard rest >= 0 else { break }
                try chunk.withUnsafeBytes { try repair.append($0) }
            }
        } catch {
            try repair.dropContent()
            throw error
        }
        return try repair.endContent(from: url.reported)
    }
}

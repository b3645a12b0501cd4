import BundleModel
import BundleStore
import BundleTrust
import Foundation
import HTTPCore

/// A feed as it is published. A value type; safe to share between threads.
package struct PublishedFeed: Sendable {
    /// What a publisher has signed, all of it verified.
    package struct Signatures: Sendable {
        /// The roots from the first on.
        package let roots: [[UInt8]]
        /// The documents below the timestamp, by the names of their files.
        package let documents: [(name: String, bytes: [UInt8])]
        /// The timestamp.
        package let timestamp: [UInt8]
        /// What the release key has signed.
        package let targets: [UInt8]
        /// What all of them say.
        package let state: TrustedState
    }

    /// Where it came from, after redirects.
    package let location: URL
    /// The feed's bytes.
    package let bytes: [UInt8]
    /// What it says.
    package let feed: Feed
    /// Nil for a feed that isn't signed.
    package let signatures: Signatures?
}

/// A file that a copy of a feed has to have. A value type; safe to share between threads.
package struct MirroredFile: Sendable {
    /// Where it is published, and how it is verified.
    package let file: FeedFile<URL>
    /// Its path in the folder of the feed.
    package let path: BundlePath
}

extension PublishedFeed {
    /// The files that the feed names and that devices fetch, without those of revoked releases. Each occurs once.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when one isn't in the folder of the feed: a copy would lead elsewhere;
    ///   or has a hidden name.
    package func files() throws(BundleError) -> [MirroredFile] {
        let releases = feed.releases.filter { !$0.terms.isRevoked }
        let files = releases.flatMap { [$0.archive, $0.contents?.list].compactMap(\.self) + $0.patches.map(\.file) }
        var found: [BundlePath: FeedFile<URL>] = [:]
        var mirrored: [MirroredFile] = []
        for file in files {
            let path = try path(of: file.location)
            guard let other = found.updateValue(file, forKey: path) else {
                mirrored.append(MirroredFile(file: file, path: path))
                continue
            }
            guard other == file else {
                throw BundleError(.invalidFeed, "\(location.reported) names \(path) twice, with other contents")
            }
        }
        return mirrored
    }

    /// The path that a device finds in a folder, see ``FolderPlace``.
    private func path(of url: URL) throws(BundleError) -> BundlePath {
        let folder = URL(string: ".", relativeTo: location)?.absoluteURL.absoluteString ?? ""
        let (text, place) = (url.absoluteString, "file:///feed/")
        guard !folder.isEmpty, text.hasPrefix(folder), let feed = FileURL("\(place)feed.json"),
            let names = FileURL(place + text.dropFirst(folder.count))?.components(beside: feed),
            let path = try? BundlePath(names.joined(separator: "/"))
        else {
            throw BundleError(
                .invalidFeed,
                "\(url.reported) isn't in the folder of \(location.reported), so that a copy would lead elsewhere; publish the files "
                    + "beside the feed"
            )
        }
        guard !names.contains(where: { $0.hasPrefix(".") }) else {
            throw BundleError(
                .invalidFeed,
                "\(url.reported) has a hidden name, which a server that offers the copy may take for its own configuration; publish the "
                    + "file by another name"
            )
        }
        return path
    }
}

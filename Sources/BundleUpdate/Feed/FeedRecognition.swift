import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Tells a feed from what else a URL or a file may be. Nothing of a feed is used by that. Pure.
package enum FeedRecognition {
    /// Whether a text begins as a feed does, with a JSON object.
    package static func isBeginning(_ prefix: [UInt8]) -> Bool {
        let blanks = Set(" \t\r\n".utf8)
        return prefix.first { !blanks.contains($0) } == UInt8(ascii: "{")
    }

    /// Whether a text is a feed throughout.
    ///
    /// - Parameter location: Where it is.
    package static func isFeed(_ bytes: [UInt8], at location: URL) -> Bool {
        (try? Feed.parse(bytes, baseURL: location)) != nil
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when a text doesn't begin as a feed does.
    static func requireBeginning(_ prefix: [UInt8], at url: URL) throws(BundleError) {
        guard !isBeginning(prefix) else { return }
        if Installer.recognises(prefix) {
            throw BundleError(
                .invalidArgument,
                "\(url.reported) is an archive, and nothing says that it is the right one",
                .giveDigest
            )
        }
        let beginning = Printable.line(String(decoding: prefix.prefix(40), as: UTF8.self))
        throw BundleError(
            .invalidArgument,
            "\(url.reported) is neither a feed nor an archive: it begins with “\(beginning)”; correct the URL"
        )
    }
}

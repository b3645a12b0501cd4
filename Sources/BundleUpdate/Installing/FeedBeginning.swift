import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Tells a feed from what else a URL may lead to, by its first bytes.
package enum FeedBeginning {
    /// Whether a text begins as a feed does, with a JSON object.
    package static func isFound(in prefix: [UInt8]) -> Bool {
        let blanks = Set(" \t\r\n".utf8)
        return prefix.first { !blanks.contains($0) } == UInt8(ascii: "{")
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it is no JSON object.
    static func check(_ prefix: [UInt8], at url: URL) throws(BundleError) {
        guard !isFound(in: prefix) else { return }
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

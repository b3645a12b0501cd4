import BundleInstall
import BundlePublishing
import BundleStore

/// The script by which open pages reload when a folder that is watched has changed.
///
/// It is a file of the bundle, which a page's Content-Security-Policy of `'self'` permits; a policy with nonces or hashes alone
/// doesn't, and such pages don't reload.
struct ReloadScript {
    private static let path = "__bundlectl/reload.js"

    let name: BundleName
    let version: BundleVersion?

    /// The script, and what the end of each page gets.
    var addition: PackAddition {
        get throws {
            PackAddition(
                path: try BundlePath(Self.path),
                content: Array(text.utf8),
                pageEnd: Array("\n<script src=\"/\(Self.path)\" async></script>\n".utf8)
            )
        }
    }

    /// The names and versions of bundles have no character that a string of JavaScript would have to escape.
    private var text: String {
        """
        new EventSource("/.bundles/\(name)/events").onmessage = ({ data }) => {
          const { active } = JSON.parse(data);
          if (active && active !== "\(version?.string ?? "")") location.reload();
        };

        """
    }
}

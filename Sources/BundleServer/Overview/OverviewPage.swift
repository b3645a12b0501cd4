import BundleStore
import Foundation

/// The page that lists the bundles of an endpoint. Pure.
///
/// It has no script, and nothing of it comes from elsewhere. All texts of bundles are escaped.
struct OverviewPage {
    /// Of further bundles only the number is told.
    private static let maximumEntryCount = 200

    let entries: [OverviewEntry]
    /// The page's own URL. Links below it are relative, so that they lead to the same place through a proxy.
    let root: String

    /// `overview.css`, in which there is no “<”.
    private static let style = String(decoding: PackageResources.overview_css, as: UTF8.self)

    /// The value of `Content-Security-Policy`: the style alone, and icons in `data:` URLs.
    static let policy: String = {
        let digest = Digest(of: PackageResources.overview_css).withUnsafeBytes { Data($0).base64EncodedString() }
        return "default-src 'none'; style-src 'sha256-\(digest)'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }()

    /// The page in HTML.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Bundles</title>
        <link rel="icon" href="data:,">
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <h1>Bundles</h1>
        \(entries.isEmpty ? Self.hint : list)
        </main>
        </body>
        </html>

        """
    }

    private static let hint = """
        <p class="hint">None is installed yet. What is installed appears here when the page is loaded again.</p>
        """

    private var list: String {
        let items = entries.prefix(Self.maximumEntryCount).map(item).joined(separator: "\n")
        let rest = entries.count - Self.maximumEntryCount
        let note = rest > 0 ? "\n<p class=\"hint\">And \(rest) more.</p>" : ""
        return "<ul>\n\(items)\n</ul>\(note)"
    }

    private func item(_ entry: OverviewEntry) -> String {
        let (name, state) = (Self.escaped(entry.name), Self.escaped(entry.state))
        let icon =
            entry.icon.map { "<img src=\"\(Self.escaped($0))\" alt=\"\" width=\"48\" height=\"48\">" }
            ?? "<span class=\"letter\" aria-hidden=\"true\">\(Self.escaped(String(entry.name.prefix(1)).uppercased()))</span>"
        let version = entry.version.map { "<span class=\"version\">\(Self.escaped($0))</span>" } ?? ""
        let title = entry.address.map { "<a href=\"\(Self.escaped(link(to: $0)))\">\(name)</a>" } ?? name
        let address =
            entry.address.map(Self.escaped)
            ?? (entry.version == nil ? "opens when a version is active" : "has no address in a browser on this machine")
        return """
            <li>\(icon)<div><h2>\(title) \(version)</h2><p class="state">\(state)</p><p class="address">\(address)</p></div></li>
            """
    }

    private func link(to address: String) -> String {
        address.hasPrefix(root) ? "./" + address.dropFirst(root.count) : address
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}

import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Responds at the root of an endpoint, where no bundle has it: with the list of the bundles.
///
/// For browsers on this machine alone; who else may know what is installed is for the operator to say. Thread-safe.
struct OverviewResponder: Sendable {
    let store: BundleStore
    let addresses: BundleAddresses
    /// `https` when requests come over TLS, otherwise `http`.
    let scheme: String

    /// The response to a navigation to `/` of the loopback interface; nil for any other request. Icons are read on a thread
    /// that may block.
    func begin(_ request: HTTPRequest) -> ResponseStart? {
        guard request.scheme == nil, request.path?.prefix(while: { $0 != "?" }) == "/",
            request.method == .get || request.method == .head, NavigationRequest.isNavigation(request),
            let authority = request.authority, Self.isLoopback(authority)
        else { return nil }
        return .waiting { _ in
            await withTaskExecutorPreference(BlockingExecutor()) {
                let response = response(at: root(for: authority))
                return .complete(
                    request.method == .head ? response.withoutBody : response,
                    ResponseSource(.server)
                )
            }
        }
    }

    /// The page's own URL, as the client sees it.
    private func root(for authority: String) -> String {
        RequestTarget("/", host: authority).flatMap(addresses.publicURL)?.description ?? "\(scheme)://\(authority)/"
    }

    private func response(at root: String) -> Response {
        let page = OverviewPage(
            entries: store.snapshot.sortedBundles.map { OverviewEntry($0, addresses, at: root) },
            root: root
        )
        let body = ResponseBody(page.html)
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(body.byteCount),
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .contentSecurityPolicy: OverviewPage.policy,
            .cacheStatus: CacheStatus(nil, detail: "overview").fieldValue,
        ]
        return Response(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
    }

    private static func isLoopback(_ authority: String) -> Bool {
        RequestTarget("/", host: authority)?.host.map { LocalHost.isLoopback($0) } ?? false
    }
}

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

/// A bundle on the overview.
struct OverviewEntry: Hashable {
    let name: String
    /// The version that is served; nil when there is none.
    let version: String?
    /// What a person should know of it, such as `active` or `to be confirmed`.
    let state: String
    /// Where it opens; nil when it has no address.
    let address: String?
    /// Its icon as a `data:` URL; nil when it has none.
    let icon: String?
}

extension OverviewEntry {
    /// - Parameter endpoint: The endpoint's own URL.
    init(_ bundle: InstalledBundle, _ addresses: BundleAddresses, at endpoint: String) {
        self.init(
            name: bundle.name.string,
            version: bundle.serving?.version.string,
            state: Self.state(of: bundle),
            address: bundle.serving == nil ? nil : addresses.url(of: bundle.name, at: endpoint),
            icon: bundle.serving.flatMap(OverviewIcon.url)
        )
    }

    /// What a person should know of a bundle.
    static func state(of bundle: InstalledBundle) -> String {
        guard bundle.serving != nil else { return "installed, not active" }
        if let degradation = bundle.degradation { return degradation }
        if let withdrawal = bundle.withdrawal { return "active, not used: \(withdrawal.reason.rawValue)" }
        let probation = bundle.probationTerms == nil ? [] : ["to be confirmed"]
        let pending = bundle.lifecycle.pending.map { pending in
            "\(pending.version) follows \(pending.mode == .nextStart ? "at the next start" : "when it is idle")"
        }
        return (["active"] + probation + [pending].compactMap(\.self)).joined(separator: ", ")
    }
}

/// The icon of a release, as far as a file at its root has one of the usual names.
enum OverviewIcon {
    /// Larger ones are left out.
    private static let maximumByteCount: Int64 = 32 << 10
    private static let names = [
        ("favicon.svg", "image/svg+xml"), ("icon.svg", "image/svg+xml"), ("apple-touch-icon.png", "image/png"),
        ("icon-192.png", "image/png"), ("icon.png", "image/png"), ("favicon.png", "image/png"),
        ("favicon.ico", "image/vnd.microsoft.icon"),
    ]

    /// The `data:` URL of its content (RFC 2397), which needs no request to the bundle's origin. As an image an SVG runs no
    /// scripts.
    static func url(of release: Release) -> String? {
        for (name, mediaType) in names {
            guard let asset = release.asset(at: BundlePath(valid: name)), asset.byteCount <= maximumByteCount,
                let contents = asset.contents
            else { continue }
            return "data:\(mediaType);base64,\(contents.withUnsafeBytes { Data($0).base64EncodedString() })"
        }
        return nil
    }
}

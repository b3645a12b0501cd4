import Foundation

/// A response that the browser got for one of the page's requests.
package struct BrowserResponse: Hashable, Sendable {
    /// What was requested.
    package let url: String
    /// The status code.
    package let status: Int
    /// The fields, by name in lower case.
    package let fields: [String: String]
    /// Whether it came from the browser's own cache.
    package let isFromBrowser: Bool

    /// The path of the URL, with its query.
    package var path: String {
        let afterScheme = url.split(separator: "//", maxSplits: 1).last ?? ""
        return afterScheme.firstIndex(of: "/").map { String(afterScheme[$0...]) } ?? "/"
    }

    /// `Cache-Status` (RFC 9211).
    package var cacheStatus: String { fields["cache-status"] ?? "" }

    /// Nil for an event that isn't a response.
    init?(_ event: JSONValue) {
        guard event["method"]?.string == "Network.responseReceived", let response = event["params"]?["response"],
            let url = response["url"]?.string, !url.hasPrefix("data:"), let status = response["status"]?.integer
        else { return nil }
        self.url = url
        self.status = status
        isFromBrowser = response["fromDiskCache"] == true || response["fromPrefetchCache"] == true
        guard case .object(let members)? = response["headers"] else { return nil }
        fields = Dictionary(members.map { ($0.key.lowercased(), $0.value.string ?? "") }) { $1 }
    }
}

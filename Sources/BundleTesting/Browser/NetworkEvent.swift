import Foundation

/// How one of the page's requests ended.
package struct NetworkEvent: Hashable, Sendable {
    /// The end of a request.
    package enum Outcome: Hashable, Sendable {
        /// A response with this status arrived.
        case status(Int)
        /// No response arrived, or it broke off; the text is Chromium's, such as `net::ERR_CONNECTION_REFUSED`.
        case failure(String)
    }

    /// What was requested.
    package let url: String
    /// How it ended.
    package let outcome: Outcome

    /// Makes an event.
    package init(url: String, outcome: Outcome) {
        self.url = url
        self.outcome = outcome
    }

    /// True without a response, and for a status of 400 and more.
    package var isFailure: Bool {
        switch outcome {
        case .status(let status): status >= 400
        case .failure: true
        }
    }
}

/// Chromium's performance log: the Network domain of the DevTools protocol, one JSON text per entry.
enum PerformanceLog {
    /// The ends of the requests in order. `data:` URLs are left out: they need no network.
    static func networkEvents(in entries: [AnyJSON]) -> [NetworkEvent] {
        var urls: [String: String] = [:]
        return entries.flatMap { entry -> [NetworkEvent] in
            guard let message = message(of: entry), let parameters = message["params"],
                let request = parameters["requestId"]?.string
            else { return [] }
            switch message["method"]?.string {
            case "Network.requestWillBeSent":
                urls[request] = parameters["request"]?["url"]?.string
                return response(parameters["redirectResponse"])
            case "Network.responseReceived":
                return response(parameters["response"])
            case "Network.loadingFailed":
                let failure = parameters["errorText"]?.string ?? "failed"
                return [NetworkEvent(url: urls[request] ?? "unknown", outcome: .failure(failure))]
            default:
                return []
            }
        }
        .filter { !$0.url.hasPrefix("data:") }
    }

    static func message(of entry: AnyJSON) -> AnyJSON? {
        guard let text = entry["message"]?.string else { return nil }
        return try? JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))["message"]
    }

    private static func response(_ response: AnyJSON?) -> [NetworkEvent] {
        guard let url = response?["url"]?.string, let status = response?["status"]?.integer else { return [] }
        return [NetworkEvent(url: url, outcome: .status(status))]
    }
}

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
    init?(_ event: AnyJSON) {
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

/// A line of the browser's console.
package struct ConsoleMessage: Hashable, Sendable {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    package let level: String
    /// The source: `console-api`, `javascript`, `network`, `security` and so on.
    package let source: String
    /// The text, usually with URL and position in front.
    package let text: String

    /// True for errors.
    package var isError: Bool { level == "SEVERE" }

    init?(_ entry: AnyJSON) {
        guard let level = entry["level"]?.string, let text = entry["message"]?.string else { return nil }
        self.level = level
        self.text = text
        source = entry["source"]?.string ?? ""
    }
}

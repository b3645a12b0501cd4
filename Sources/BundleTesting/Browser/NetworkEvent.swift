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
    static func networkEvents(in entries: [JSONValue]) -> [NetworkEvent] {
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

    static func message(of entry: JSONValue) -> JSONValue? {
        guard let text = entry["message"]?.string else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))["message"]
    }

    private static func response(_ response: JSONValue?) -> [NetworkEvent] {
        guard let url = response?["url"]?.string, let status = response?["status"]?.integer else { return [] }
        return [NetworkEvent(url: url, outcome: .status(status))]
    }
}

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Commands to a driver over HTTP (W3C WebDriver, section 6).
struct WebDriverConnection: Sendable {
    let baseURL: String

    /// Screenshots and logs of large pages arrive as one JSON text.
    private static let maximumResponseLength = 64 << 20

    /// Sends a command and returns the `value` of its response.
    ///
    /// - Throws: ``WebDriverError`` when the driver responds with an error or with something that isn't its JSON;
    ///   AsyncHTTPClient's errors when it can't be reached.
    func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = HTTPClientRequest(url: baseURL + path)
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
            request.body = .bytes(try JSONEncoder().encode(body))
        }
        // The page's own limits, set in the session, are shorter.
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(3))
        let data = Data(
            try await response.body.collect(upTo: WebDriverConnection.maximumResponseLength).readableBytesView
        )
        let document = try? JSONDecoder().decode(JSONValue.self, from: data)
        guard response.status == .ok, let value = document?["value"] else {
            let message = document?["value"]?["message"]?.string ?? String(decoding: data, as: UTF8.self)
            let firstLine = String(message.prefix { !$0.isNewline })
            throw WebDriverError(command: "\(method) \(path)", message: firstLine)
        }
        return value
    }
}

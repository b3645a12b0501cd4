import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Fetches from the publisher's server, following redirects.
struct OriginDocument: Sendable {
    /// One or two are usual; the limit of 20 in browsers (Fetch) is generous.
    private static let maximumRedirects = 5

    let transport: any OriginTransport
    /// The time limit for a document: otherwise a slow server would delay the bundles after it.
    var deadline: Duration = .seconds(60)

    /// Sends a GET for `url` and follows redirects; never from https to http.
    ///
    /// - Returns: The response, and the URL that served it.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is no response, or when it is a
    ///   redirect without a valid target.
    func response(for url: URL, fields: HTTPFields = [:]) async throws -> (response: OriginResponse, url: URL) {
        var url = url
        for _ in 0...Self.maximumRedirects {
            let client = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil, headerFields: fields)
            guard let target = OriginTarget(url) else {
                throw BundleError(
                    .networkUnavailable,
                    "\(url.reported) isn't a URL that can be fetched; correct the feed"
                )
            }
            var request = OriginRequest.make(from: client, target: target)
            // The updater's own request, not a client's: its fields are meant for the origin.
            for field in fields { request.headerFields[field.name] = field.value }
            let response = try await transport.send(request)
            guard response.head.status.kind == .redirection, response.head.status != .notModified else {
                return (response, url)
            }
            url = try Self.target(of: response.head, at: url)
        }
        throw BundleError(.networkUnavailable, "\(url.reported) was redirected over \(Self.maximumRedirects) times")
    }

    /// The whole body of a 200.
    ///
    /// - Parameter limit: The longest body in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` for another status or after the deadline,
    ///   `invalidFeed` for a longer body.
    func bytes(of url: URL, limit: Int) async throws -> (bytes: [UInt8], url: URL) {
        try await withThrowingTaskGroup(of: (bytes: [UInt8], url: URL).self) { group in
            group.addTask { try await read(url, limit: limit) }
            // Limits the whole document, beside the task that reads it: the first of the two to end decides.
            group.addTask {
                try await Task.sleep(for: deadline)
                throw BundleError(
                    .networkUnavailable,
                    "\(url.reported) isn't there after \(deadline); try again later, or check the server"
                )
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private func read(_ url: URL, limit: Int) async throws -> (bytes: [UInt8], url: URL) {
        let (response, url) = try await response(for: url)
        guard response.head.status == .ok else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) responded with \(response.head.status.code); check the feed's URL"
            )
        }
        var bytes: [UInt8] = []
        for try await chunk in response.body {
            bytes += chunk
            guard bytes.count <= limit else {
                throw BundleError(.invalidFeed, "\(url.reported) has over \(limit) bytes; is it a feed?")
            }
        }
        return (bytes, url)
    }

    private static func target(of head: HTTPResponse, at url: URL) throws(BundleError) -> URL {
        guard let location = head.headerFields[.location],
            let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme),
            scheme == "https" || url.scheme?.lowercased() == "http"
        else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) redirects to “\(URL.reported(head.headerFields[.location] ?? ""))”, which isn't followed"
            )
        }
        return target
    }
}

extension OriginTarget {
    /// What a feed's URL asks for; its user information isn't sent (RFC 9110 §4.2.4).
    fileprivate init?(_ url: URL) {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        guard let text = components?.string else { return nil }
        self.init(text)
    }
}

import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response for which credentials have been asked for already, or can't be given.
///
/// Foundation on Linux asks for credentials at the end of a 401, by its own protocol and without the layers, and waits for ever
/// when there are none. It does neither for a response without a URL: so this one has none while the load ends.
///
/// `@unchecked Sendable`: as its superclass; it has no state of its own.
final class FinalResponse: HTTPURLResponse, @unchecked Sendable {
    private static let key = "org.offline-bundles.ending"

    override var url: URL? { Thread.current.threadDictionary[Self.key] == nil ? super.url : nil }

    /// Calls `body`, in which such responses have no URL on this thread.
    static func withoutURL(_ body: () -> Void) {
        let thread = Thread.current
        thread.threadDictionary[key] = true
        body()
        thread.threadDictionary.removeObject(forKey: key)
    }

    /// A response of the layers as a session gets it.
    static func make(_ head: HTTPResponse, for url: URL) -> HTTPURLResponse? {
        let lines = head.headerFields.lazy.map { ($0.name, $0.value) }
        let combined = Dictionary(lines, uniquingKeysWith: { "\($0), \($1)" })
        let fields = Dictionary(uniqueKeysWithValues: combined.lazy.map { ($0.key.rawName, $0.value) })
        let status = head.status.code
        guard status == 401 else {
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return FinalResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

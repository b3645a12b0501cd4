import BundleNetwork
import BundleStore
import HTTPTypes
import Synchronization

/// A network in memory: what each URL answers is a closure of the test's, and everything that is asked is recorded.
///
/// Safe to use from any number of tasks at once.
public final class ScriptedTransport: OriginTransport {
    /// Answers one request, or throws what the network would.
    public typealias Script = @Sendable (HTTPRequest) async throws -> OriginResponse

    private struct State {
        var scripts: [String: Script] = [:]
        var requests: [HTTPRequest] = []
        var isDown = false
    }

    private let state = Mutex(State())

    /// Makes a network in which nobody answers.
    public init() {}

    /// Whether every request fails without being recorded.
    public var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// The requests so far, in the order in which they came.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Lets `script` answer an absolute URL, query included, from now on.
    public func response(_ url: String, _ script: @escaping Script) {
        state.withLock { $0.scripts[url] = script }
    }

    /// Lets `url` answer with a text.
    public func response(_ url: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], _ text: String)
    {
        response(url) { _ in OriginResponse(status, fields, text) }
    }

    /// Lets `url` answer with bytes, and with a part of them when a single range is asked for.
    public func response(_ url: String, file bytes: [UInt8]) {
        response(url) { request in
            guard let start = request.headerFields[.range].flatMap(Self.start) else {
                return OriginResponse(.ok, [.contentLength: String(bytes.count)], [bytes])
            }
            guard start < bytes.count else {
                return OriginResponse(.rangeNotSatisfiable, [.contentRange: "bytes */\(bytes.count)"])
            }
            let fields: HTTPFields = [
                .contentLength: String(bytes.count - start),
                .contentRange: "bytes \(start)-\(bytes.count - 1)/\(bytes.count)",
            ]
            return OriginResponse(.partialContent, fields, [Array(bytes[start...])])
        }
    }

    /// Answers by the script of the request's URL.
    ///
    /// - Throws: ``BundleStore/BundleError`` with code `networkUnavailable` when there is none or the network is down; else
    ///   what the script throws.
    public func send(_ request: HTTPRequest) async throws -> OriginResponse {
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        let script = state.withLock { state -> Script? in
            if state.isDown { return nil }
            state.requests.append(request)
            return state.scripts[url]
        }
        guard let script else { throw BundleError(.networkUnavailable, "nobody answers at \(url)") }
        return try await script(request)
    }

    private static func start(ofRange value: String) -> Int? {
        guard value.hasPrefix("bytes="), value.hasSuffix("-") else { return nil }
        return Int(value.dropFirst(6).dropLast())
    }
}

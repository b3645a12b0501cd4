import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// The layer of the network rules, which precede the cache and the network. Thread-safe.
struct RuleLayer: Sendable {
    /// What the rules say about a request.
    enum Step {
        /// They respond, without asking the cache or the network.
        case responds(ResponseStart)
        /// No origin is asked.
        case asksNobody
        /// The cache and the network respond.
        case forwards(ForwardedRequest)
    }

    /// The longest file of the operator that is a mock's content, in bytes.
    private static let maximumMockByteCount = 64 << 20

    let rules: NetworkRuling
    /// The clock of a mock's delay.
    let clock: any Clock<Duration>
    /// Where files are read.
    let diskWorkers: WorkerPool

    /// Applies the rules to a request for what the bundle lacks, and where none applies, what the app's own code decides.
    ///
    /// - Parameter mayUseCache: Whether what is stored may respond to the request.
    func apply(to request: HTTPRequest, _ match: ResourceMatch, mayUseCache: @autoclosure () -> Bool) -> Step {
        let rule = rules.decision(for: request, match)
        let usesCacheAlone = rule?.usesCacheAlone == true
        let isLeftToCache = usesCacheAlone && mayUseCache()
        if let rule, let start = begin(request, by: rule, match, isLeftToCache: isLeftToCache) {
            return .responds(start)
        }
        guard isLeftToCache || !usesCacheAlone, let url = Self.url(match, rule) else { return .asksNobody }
        guard rule == nil else { return .forwards(ForwardedRequest(request: request, url: url, rule: rule)) }
        return lastResort(request, url, match)
    }

    /// The response of a rule that asks neither the cache nor the network; nil when these respond.
    private func begin(
        _ request: HTTPRequest,
        by decision: RuleDecision,
        _ match: ResourceMatch,
        isLeftToCache: Bool
    ) -> ResponseStart? {
        let source = ResponseSource(.server, match.release)
        if decision.strategy == .block && !isLeftToCache || decision.target == .refused {
            return .complete(Self.blocked(request, decision), source)
        }
        if let redirect = decision.redirect(root: match.rootPath) {
            return .complete(
                Self.redirect(redirect.status, to: match.reference(to: redirect.location), request),
                source
            )
        }
        if let mock = decision.mock {
            return .waiting { _ in .complete(await mocked(mock, request, match), source) }
        }
        return nil
    }

    /// The URL that is asked for; nil when none is.
    static func url(_ match: ResourceMatch, _ rule: RuleDecision?) -> String? {
        guard rule?.asksNobody != true else { return nil }
        if case .rewritten(let url, _)? = rule?.target { return url }
        return match.originURL
    }

    /// What the app's own code decides about a request that no rule applies to: a response, or another request and its URL.
    private func lastResort(_ request: HTTPRequest, _ url: String, _ match: ResourceMatch) -> Step {
        switch rules.lastResort(for: request, url: url) {
        case nil: return .forwards(ForwardedRequest(request: request, url: url, rule: nil))
        case .respond(var response)?:
            let isHead = request.method == .head
            if response.head.headerFields[.cacheStatus] == nil {
                response.head.headerFields[.cacheStatus] = CacheStatus(nil, detail: "app").fieldValue
            }
            let source = ResponseSource(.server, match.release)
            return .responds(.complete(isHead ? response.withoutBody : response, source))
        case .send(let other)?:
            let url = "\(other.scheme ?? "")://\(other.authority ?? "")\(other.path ?? "/")"
            var request = request
            request.headerFields = other.headerFields
            return .forwards(ForwardedRequest(request: request, url: url, rule: nil))
        }
    }

    /// A response as a rule has it: refused by its media type, or with other fields.
    static func ruled(_ response: ServedResponse, _ request: HTTPRequest, by decision: RuleDecision?) -> ServedResponse
    {
        guard let decision = decision?.forResponse(of: response.head.headerFields[.contentType]) else {
            return response
        }
        let isStored = [.cache, .stale].contains(response.source.layer)
        guard decision.strategy != .block || decision.isMeteredBlock && isStored else {
            return .complete(blocked(request, decision), ResponseSource(.server, response.source.release))
        }
        var response = response
        response.head.headerFields = decision.responseFields(response.head.headerFields)
        return response
    }

    private static func blocked(_ request: HTTPRequest, _ decision: RuleDecision) -> Response {
        let rule = decision.applied.map { Printable.line("\($0)") } ?? "a network rule"
        return OwnResponses.plain(
            .forbidden,
            "The request is blocked by \(rule).",
            CacheStatus(nil, detail: "blocked"),
            request
        )
    }

    private static func redirect(_ status: Int, to location: String, _ request: HTTPRequest) -> Response {
        let status = HTTPResponse.Status(code: status)
        var response = OwnResponses.plain(status, "See \(location)", CacheStatus(nil, detail: "rule"), request)
        response.head.headerFields[.location] = location
        return response
    }

    private func mocked(_ mock: MockResponse, _ request: HTTPRequest, _ match: ResourceMatch) async -> Response {
        if let delay = mock.delay { try? await clock.sleep(for: delay) }
        // A file waits for the disk.
        guard let content = await diskWorkers.run({ Self.content(of: mock, match) }) else {
            let text = "The file of this mock can't be read; correct the rule."
            return OwnResponses.plain(.internalServerError, text, CacheStatus(nil, detail: "mock"), request)
        }
        var fields = HTTPFields()
        for field in mock.fields {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        fields[.cacheStatus] = CacheStatus(nil, detail: "mock").fieldValue
        let representation = Representation(
            status: HTTPResponse.Status(code: mock.status),
            mediaType: fields[.contentType] ?? content.mediaType,
            content: content.bytes,
            fields: fields
        )
        var get = request
        get.method = request.method == .head ? .head : .get
        return Responder.respond(to: get, with: representation)
    }

    private static func content(
        of mock: MockResponse,
        _ match: ResourceMatch
    ) -> (bytes: ByteSlice, mediaType: String?)? {
        switch mock.content {
        case .empty: return (ByteSlice(copying: []), nil)
        case .inline(let bytes, let mediaType): return (ByteSlice(copying: bytes), mediaType)
        case .bundled(let path):
            guard let asset = match.release.asset(at: path), let contents = asset.contents else { return nil }
            return (contents, asset.mediaType)
        case .file(let path):
            let url = URL(fileURLWithPath: path)
            guard let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize, size <= maximumMockByteCount,
                let bytes = try? Data(contentsOf: url)
            else { return nil }
            let content = ByteSlice(copying: Array(bytes))
            let name = try? BundlePath(url.lastPathComponent)
            return (content, name.map { MediaType.detect($0, content, overrides: [:]).string })
        }
    }
}

import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// What the fallback counts.
extension UsageRecorder {
    /// Counts a fetch that was to confirm a stored response.
    func noteRevalidation(_ outcome: SharedFetch.Outcome, of bundle: BundleName) {
        note { usage in
            usage.count(.revalidations, of: bundle)
            if case .kept(_, _, isConfirmed: true) = outcome { usage.count(.confirmations, of: bundle) }
        }
    }

    /// Counts what the network was needed for.
    ///
    /// - Parameters:
    ///   - duration: The time from the request to the head of its response.
    func note(_ result: FallbackResult, to missing: MissingResource, after duration: Duration) {
        let (match, name) = (missing.match, missing.match.release.name)
        let isMiss = !match.isUnbundled && result.isMiss && [.get, .head].contains(missing.request.method)
        let path = isMiss ? match.bundledFile : nil
        note { usage in
            if isMiss { usage.miss(path, of: name) }
            if result.isFromNetwork { usage.time(Self.withoutQuery(missing.url), duration, of: name) }
            guard case .nothing(let cause) = result else { return }
            if let failure = UsageFailure(cause) { usage.count(.failures(failure), of: name) }
            if missing.offlinePage != nil { usage.count(.offlinePages, of: name) }
        }
    }

    /// A query may hold what is private to a user.
    private static func withoutQuery(_ url: String) -> String {
        String(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }) ?? url
    }
}

extension FallbackResult {
    /// Whether an origin has responded.
    fileprivate var isFromNetwork: Bool {
        switch self {
        case .stored(_, let layer), .partial(_, let layer): layer == .network
        case .passing: true
        case .switching, .nothing: false
        }
    }

    /// Whether the request would have been served by a file of the bundle: the origin has one, or could not be asked. What
    /// the origin doesn't have can't be put into a release.
    fileprivate var isMiss: Bool {
        switch self {
        case .stored(let representation, .network): representation.status == .ok
        case .partial(_, .network): true
        case .passing(let head, _): [200, 203, 206, 304].contains(head.status.code)
        case .nothing(.offline), .nothing(.noResponse): true
        case .stored, .partial, .switching, .nothing: false
        }
    }
}

extension Fetch {
    /// Whether the origin is asked about a stored response.
    var isConditional: Bool { stored.map { !$0.response.preconditions.isEmpty } ?? false }
}

extension UsageFailure {
    /// Nil for a URL that no origin could have, which is no failure of the network.
    init?(_ cause: Unavailability) {
        switch cause {
        case .invalidURL: return nil
        case .onlyIfCached, .ruledOut: self = .onlyIfCached
        case .offline: self = .offline
        case .noResponse: self = .noResponse
        case .denied: self = .denied
        }
    }
}

/// What a responder without a server counts.
extension UsageRecorder {
    /// Counts a response; the bytes of one that is still arriving as they are read.
    func counting(_ response: ServedResponse) -> ServedResponse {
        let status = response.head.status.code
        record(response.source, status: status, byteCount: response.body?.byteCount ?? 0)
        guard case .streaming(let head, let body, let source) = response else { return response }
        let chunks = body.map { [self] chunk in
            record(laterByteCount: chunk.count, of: source, status: status)
            return chunk
        }
        return .streaming(head, BodyStream(chunks, trailers: { body.trailers }), source)
    }
}

extension ResponseSource {
    /// The source of a response with a bundled file, which may be in a coding.
    func coded(_ response: Response, of resource: Resource) -> ResponseSource {
        guard response.head.status == .ok, !response.body.isEmpty,
            let coding = response.head.headerFields[.contentEncoding]
        else { return self }
        let saving = CodingSaving(
            isDelta: coding == ContentCoding.dictionaryZstandard.token,
            identityByteCount: resource.contents.count,
            codedByteCount: response.body.byteCount
        )
        return ResponseSource(layer, release, saving)
    }
}

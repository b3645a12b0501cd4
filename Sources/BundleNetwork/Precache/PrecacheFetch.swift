import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Fetches URLs of a release as a client's request would, so that they are stored by the same rules. Thread-safe.
struct PrecacheFetch: Sendable {
    let precacher: Precacher
    let release: Release
    let budget: PrecacheBudget

    /// Where a URL leads.
    private enum Place {
        /// To a file of the bundle.
        case bundled
        /// To the network.
        case origin(ForwardedRequest)
    }

    private var fallback: OriginFallback { precacher.fallback }
    private var limits: PrecacheLimits { precacher.limits }

    /// Whether a request would be responded to without a network, and so would those that redirects lead to.
    func isStored(_ url: String) async -> Bool {
        var url = url
        for _ in 0...limits.redirects {
            guard let place = try? place(of: url) else { return false }
            guard case .origin(let request) = place else { return true }
            guard request.rule?.strategy != .networkOnly,
                let fetch = fallback.fetch(for: request, under: release),
                let variant = await stored(fetch)
            else { return false }
            let head = variant.response.head
            guard head.status.kind == .redirection else { return head.status.kind == .successful }
            guard let next = redirect(head, from: request.url) else { return false }
            url = next
        }
        return false
    }

    private func stored(_ fetch: Fetch) async -> CachedVariant? {
        let lookup = await fallback.cache.lookUp(fetch.request, key: fetch.key, under: release)
        if let copy = await fallback.cache.offlineCopy(for: fetch, lookup, now: fallback.now()) { return copy }
        return lookup.variant.flatMap { $0.isComplete ? $0 : nil }
    }

    /// Fetches a URL, and what its redirects lead to.
    func run(_ url: String) async throws(PrecacheFailure) {
        var next = url
        for _ in 0...limits.redirects {
            guard case .origin(let request) = try place(of: next) else { return }
            if let rule = request.rule, rule.isMeteredBlock { throw Self.prevented(by: rule) }
            let head = try await fetch(request)
            guard head.status.kind == .redirection, head.status != .notModified else {
                guard head.status.kind == .successful else {
                    throw .refused("\(Printable.text(next)) has status \(head.status.code)")
                }
                guard await isStored(url) else {
                    throw .refused("its origin or a rule doesn't let the response be stored")
                }
                return
            }
            guard let location = redirect(head, from: request.url) else {
                throw .refused("\(Printable.text(next)) redirects to what isn't below an origin of the bundle")
            }
            next = location
        }
        throw .refused("it is redirected more than \(limits.redirects) times")
    }

    private func place(of url: String) throws(PrecacheFailure) -> Place {
        guard let target = RequestTarget(url: url), let scheme = target.scheme, let authority = target.authority,
            let match = precacher.resolver.current.match(target, isNavigation: false)
        else { throw .refused("no bundle covers \(Printable.text(url))") }
        guard match.release.name == release.name, match.release.version.string == release.version.string else {
            throw .refused("\(match.release.name)@\(match.release.version) covers \(Printable.text(url))")
        }
        switch match.outcome {
        case .found, .redirect: return .bundled
        case .damaged, .missing: break
        }
        let request = HTTPRequest(
            method: .get,
            scheme: scheme,
            authority: authority,
            path: target.path + target.query,
            headerFields: [.accept: "*/*"]
        )
        let rule = precacher.rules.rules.decision(for: request, match)
        if let rule, rule.respondsAlone { throw Self.prevented(by: rule) }
        guard let origin = RuleLayer.url(match, rule) else {
            throw .refused("no origin can be asked for \(Printable.text(url))")
        }
        return .origin(ForwardedRequest(request: request, url: origin, rule: rule))
    }

    private static func prevented(by rule: RuleDecision) -> PrecacheFailure {
        .refused("\(rule.summary.last ?? "a network rule") prevents it")
    }

    /// The URL that a redirect leads to: on the network below the bundle's origins, or nil.
    private func redirect(_ head: HTTPResponse, from url: String) -> String? {
        guard let base = URL(string: url), let location = head.headerFields[.location],
            let target = URL(string: location, relativeTo: base)?.absoluteURL,
            let next = target.absoluteString.split(separator: "#", maxSplits: 1).first.map(String.init),
            let prefix = try? OriginURL(String(next.prefix { $0 != "?" })),
            release.manifest.origins.contains(where: { $0.origin.contains(prefix) })
        else { return nil }
        // Never from https to http: what is read then could be anybody's.
        return base.scheme == "https" && target.scheme != "https" ? nil : next
    }

    /// Returns the head once the body has been received.
    private func fetch(_ request: ForwardedRequest) async throws(PrecacheFailure) -> HTTPResponse {
        let url = request.url
        guard let fetch = fallback.fetch(for: request, under: release) else {
            throw .unavailable(Unavailability.invalidURL.explanation(for: url))
        }
        switch await fallback.respond(to: request.request, fetch, request.rule) {
        case .stored(let representation, let layer):
            guard layer != .stale else { throw .unavailable("its origin doesn't respond") }
            if layer == .network { try budget.take(representation.content.count) }
            return HTTPResponse(status: representation.status, headerFields: representation.fields)
        case .partial(let response, _): return response.head
        case .passing(let head, let body):
            try await read(body, head, url)
            return head
        case .switching: throw .refused("its origin switches protocols")
        case .nothing(.noResponse(let error, _)): throw .unavailable(error.message)
        case .nothing(let cause): throw .unavailable(cause.explanation(for: url))
        }
    }

    private func read(_ body: BodyStream, _ head: HTTPResponse, _ url: String) async throws(PrecacheFailure) {
        guard head.status.kind == .successful else { return }
        let limit = fallback.cache.maximumByteCount
        let tooLong = PrecacheFailure.refused("its response is longer than \(limit) bytes, which isn't stored")
        if let length = head.headerFields[.contentLength].flatMap({ Int64($0) }), length > limit { throw tooLong }
        var byteCount: Int64 = 0
        do {
            for try await chunk in body {
                byteCount += Int64(chunk.count)
                guard byteCount <= limit else { throw tooLong }
                try budget.take(chunk.count)
                try Task.checkCancellation()
            }
        } catch let failure as PrecacheFailure {
            throw failure
        } catch {
            throw .unavailable((error as? BundleError)?.message ?? "\(Printable.text(url)) broke off")
        }
    }
}

extension RuleDecision {
    /// Whether the rule alone responds.
    fileprivate var respondsAlone: Bool {
        asksNobody || target == .refused || redirect(root: "/") != nil || mock != nil
    }
}

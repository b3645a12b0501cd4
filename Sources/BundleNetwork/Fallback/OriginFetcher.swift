import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Asks an origin and keeps what HTTP allows to be kept.
struct OriginFetcher: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// A response that is in the cache now; `isConfirmed` when the origin said that the stored one still holds.
        case kept(CachedVariant, status: Int, isConfirmed: Bool)
        /// A fresh response that another request's fetch has stored meanwhile.
        case found(CachedVariant)
        /// A response that isn't to be kept; its body is still to be read, once.
        case passing(OriginResponse)
        /// No response.
        case failed(BundleError)
    }

    let transport: any OriginTransport
    let cache: ResponseCache
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - request: The request for the origin, without preconditions.
    ///   - url: Its URL, under which the response is kept.
    ///   - stored: What the cache has, to be validated.
    func fetch(
        _ request: HTTPRequest,
        url: String,
        under release: Release,
        validating stored: CachedVariant?
    ) async -> Outcome {
        var conditional = request
        conditional.headerFields.append(contentsOf: stored?.response.preconditions ?? [:])
        do {
            let requestTime = now()
            let response = try await transport.send(conditional)
            let exchange = OriginExchange(
                url: url,
                request: conditional,
                requestTime: requestTime,
                response: response.head,
                responseTime: now()
            )
            if response.head.status == .notModified, let stored {
                return try await confirm(stored, exchange, request, under: release)
            }
            // An outage never takes the place of a good copy, even when HTTP would allow it to be kept.
            guard mayKeep(exchange), stored == nil || !Self.isOutage(response.head.status) else {
                return .passing(response)
            }
            return try await keep(exchange, response.body, request, under: release)
        } catch let error as BundleError {
            return .failed(error)
        } catch {
            return .failed(
                BundleError(.networkUnavailable, "the request for \(url) was given up: \(error)", cause: error)
            )
        }
    }

    private func confirm(
        _ stored: CachedVariant,
        _ exchange: OriginExchange,
        _ request: HTTPRequest,
        under release: Release
    ) async throws -> Outcome {
        guard stored.response.isConfirmed(by: exchange.response) else {
            // A 304 about something that we don't have: ask again without preconditions.
            return await fetch(request, url: exchange.url, under: release, validating: nil)
        }
        guard let variant = cache.freshen(stored, by: exchange) else {
            // The 304 forbids keeping what it confirms, so the content has to come again.
            return .passing(try await transport.send(request))
        }
        return .kept(variant, status: exchange.response.status.code, isConfirmed: true)
    }

    /// Whether a status tells of the origin's own trouble, which a stale copy may stand in for (RFC 5861 §4).
    static func isOutage(_ status: HTTPResponse.Status) -> Bool {
        [500, 502, 503, 504].contains(status.code)
    }

    private func mayKeep(_ exchange: OriginExchange) -> Bool {
        let length = exchange.response.headerFields[.contentLength].flatMap { Int64($0) } ?? 0
        return length <= cache.maximumByteCount
            && cache.policy.isStorable(request: exchange.request, response: exchange.response)
    }

    /// Writes the body into the cache. When the store fails or the body turns out too long, the origin is asked once more
    /// and the response passes through: a full disk must not break a page.
    private func keep(
        _ exchange: OriginExchange,
        _ body: OriginBody,
        _ request: HTTPRequest,
        under release: Release
    ) async throws -> Outcome {
        guard let (body, variant) = try await write(exchange, body, under: release) else {
            return .passing(try await transport.send(request))
        }
        guard let variant else {
            return .passing(OriginResponse(head: exchange.response, body: OriginBody(body.array)))
        }
        return .kept(variant, status: exchange.response.status.code, isConfirmed: false)
    }

    /// Returns nil when the body can't be written.
    private func write(
        _ exchange: OriginExchange,
        _ body: OriginBody,
        under release: Release
    ) async throws -> (body: ByteSlice, variant: CachedVariant?)? {
        do {
            let writer = try cache.store.beginCachedBody()
            for try await chunk in body {
                try writer.append(chunk)
                guard writer.byteCount <= cache.maximumByteCount else { return nil }
            }
            return try cache.keep(exchange, body: writer, under: release)
        } catch let error as BundleError where error.code == .storeUnavailable || error.code == .storeBusy {
            return nil
        }
    }
}

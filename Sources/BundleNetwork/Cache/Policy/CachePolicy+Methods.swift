import BundleStore
import HTTPTypes

extension CachePolicy {
    /// The same exchange as one of a GET, if its response may be used for later GETs: that of a POST (RFC 9110 §9.3.3) or
    /// a PATCH (RFC 5789 §2) which says that its content is the resource's representation, in Content-Location, and for
    /// how long. Those of other methods aren't cacheable (RFC 9110 §9.3.4, §9.3.5).
    ///
    /// The rules of storing apply to it as to any other, see ``isStorable(request:response:)``.
    func asGet(_ exchange: OriginExchange) -> OriginExchange? {
        let fields = exchange.response.headerFields
        guard [.post, .patch].contains(exchange.request.method), exchange.response.status == .ok,
            hasExplicitExpiry(fields),
            fields[values: .contentLocation].count == 1, let location = fields[.contentLocation],
            let named = CacheInvalidation.target(of: location, from: exchange.url),
            CacheKey(named) == CacheKey(exchange.url),
            // It was asked for with the client's own Accept-Encoding, and what is stored has no coding.
            !fields.contains(.contentEncoding)
        else { return nil }
        var request = exchange.request
        request.method = .get
        return exchange.responding(to: request, with: exchange.response)
    }
}

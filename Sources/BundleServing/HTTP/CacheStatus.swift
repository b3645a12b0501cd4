/// One member of `Cache-Status` (RFC 9211): how this server came by a response. A value type; safe to share between threads.
package struct CacheStatus: Hashable, Sendable {
    /// The name that this server has in the field.
    package static let cacheName = "offline-bundles"

    /// Where the response came from.
    package enum Outcome: Hashable, Sendable {
        /// From what is stored (§2.1).
        case hit
        /// The request went on to the origin, or had to.
        ///
        /// - Parameters:
        ///   - reason: Why (§2.2).
        ///   - status: What the origin answered, 100 to 599, if it did (§2.3).
        ///   - stored: Whether the response was stored (§2.5).
        ///   - collapsed: Whether another request's fetch served this one (§2.6).
        case forwarded(ForwardReason, status: Int? = nil, stored: Bool = false, collapsed: Bool = false)
    }

    /// Why a request went on to the origin (RFC 9211 §2.2).
    package enum ForwardReason: String, Hashable, Sendable, CaseIterable {
        /// The method's semantics need the origin.
        case method
        /// Nothing is stored for the URL.
        case uriMiss = "uri-miss"
        /// What is stored was chosen by other request fields.
        case varyMiss = "vary-miss"
        /// Nothing stored fits; the reason isn't known more closely.
        case miss
        /// The request's own directives asked for it.
        case request
        /// What is stored is stale.
        case stale
        /// Only a part is stored.
        case partial
    }

    /// Where the response came from; nil when it is this server's own, such as an explanation.
    package var outcome: Outcome?
    /// Seconds of freshness that are left; negative when stale (§2.4).
    package var timeToLive: Int?
    /// What the response is stored under (§2.7).
    package var key: String?
    /// Anything else worth knowing, for a person (§2.8).
    package var detail: String?

    /// Describes a response.
    package init(_ outcome: Outcome?, timeToLive: Int? = nil, key: String? = nil, detail: String? = nil) {
        self.outcome = outcome
        self.timeToLive = timeToLive
        self.key = key
        self.detail = detail
    }

    /// The member as it is sent, for example `offline-bundles; hit; ttl=376`. Text outside printable ASCII, which the field
    /// can't have, is percent-encoded.
    package var fieldValue: String {
        ([Self.cacheName]
            + parameters.map { name, value in
                value.map { "\(name)=\($0.serialised)" } ?? name
            }).joined(separator: "; ")
    }

    /// The parameters in the order of the RFC. One without a value is true (RFC 9651 §4.1.1.2); false ones are left out.
    private var parameters: [(String, StructuredField?)] {
        var result: [(String, StructuredField?)] = []
        var trailing: [(String, StructuredField?)] = []
        switch outcome {
        case .hit: result.append(("hit", nil))
        case .forwarded(let reason, let status, let stored, let collapsed):
            result.append(("fwd", .token(reason.rawValue)))
            if let status { result.append(("fwd-status", .integer(status))) }
            if stored { trailing.append(("stored", nil)) }
            if collapsed { trailing.append(("collapsed", nil)) }
        case nil: break
        }
        if let timeToLive { result.append(("ttl", .integer(timeToLive))) }
        result += trailing
        if let key { result.append(("key", .string(key))) }
        if let detail { result.append(("detail", .string(detail))) }
        return result
    }
}

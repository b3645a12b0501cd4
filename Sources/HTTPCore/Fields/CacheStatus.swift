/// One member of `Cache-Status` (RFC 9211): how this server obtained a response. A value type; safe to share between
/// threads.
package struct CacheStatus: Hashable, Sendable {
    /// This server's name in the field.
    package static let cacheName = "offline-bundles"

    /// Where the response came from.
    package enum Outcome: Hashable, Sendable {
        /// From what is stored (§2.1).
        case hit
        /// The request was forwarded to the origin, or had to be.
        ///
        /// - Parameters:
        ///   - reason: Why (§2.2).
        ///   - status: The status of the origin's response, 100 to 599, if there was one (§2.3).
        ///   - stored: Whether the response was stored (§2.5).
        ///   - collapsed: Whether another request's fetch served this one (§2.6).
        case forwarded(ForwardReason, status: Int? = nil, stored: Bool = false, collapsed: Bool = false)
    }

    /// Why a request was forwarded to the origin (RFC 9211 §2.2).
    package enum ForwardReason: String, Hashable, Sendable, CaseIterable {
        /// A rule says that the cache isn't asked.
        case bypass
        /// The method's semantics need the origin.
        case method
        /// Nothing is stored for the URL.
        case uriMiss = "uri-miss"
        /// The stored responses were selected by other request fields.
        case varyMiss = "vary-miss"
        /// Nothing stored matches, for no more specific reason.
        case miss
        /// The request's own directives required it.
        case request
        /// The stored response is stale.
        case stale
        /// Only a part of the response is stored.
        case partial
    }

    /// Where the response came from; nil for the server's own, such as an error.
    package var outcome: Outcome?
    /// The remaining freshness in seconds; negative when stale (§2.4).
    package var timeToLive: Int?
    /// The key that the response is stored under (§2.7).
    package var key: String?
    /// Further information for a person (§2.8).
    package var detail: String?

    /// Describes a response.
    package init(_ outcome: Outcome?, timeToLive: Int? = nil, key: String? = nil, detail: String? = nil) {
        self.outcome = outcome
        self.timeToLive = timeToLive
        self.key = key
        self.detail = detail
    }

    /// The member as it is sent, for example `offline-bundles; hit; ttl=376`. Characters outside printable ASCII, which
    /// the field can't contain, are percent-encoded.
    package var fieldValue: String {
        ([Self.cacheName]
            + parameters.map { name, value in
                value.map { "\(name)=\($0.serialised)" } ?? name
            }).joined(separator: "; ")
    }

    /// The parameters in the order of the RFC. One without a value is true (RFC 9651 §4.1.1.2); false ones are left
    /// out.
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

import HTTPCore


/// A number of the statistics, by the name that it has in the store. A name that isn't known comes from a newer program
/// and is ignored.
package enum UsageMeasure: Hashable {
    /// Requests, by the layer that responded.
    case requests(ResponseSource.Layer)
    /// Bytes of bodies that were sent, by the layer that responded.
    case bytes(ResponseSource.Layer)
    /// Responses, by the first digit of their status.
    case status(Int)
    /// Requests that the client has abandoned before there was a response.
    case abandoned
    /// Bytes that needn't be sent because of codings.
    case savedByCodings
    /// Bytes that needn't be sent because of deltas.
    case savedByDeltas
    /// Stored responses that an origin was asked about.
    case revalidations
    /// Those of them that the origin has confirmed.
    case confirmations
    /// Requests that neither the bundle nor the cache could respond to, and which a file in the bundle would serve.
    case misses
    /// Requests without a response of the network.
    case failures(UsageFailure)
    /// Offline pages that were sent.
    case offlinePages

    /// The name in the store.
    var name: String {
        switch self {
        case .requests(let layer): "requests.\(layer.rawValue)"
        case .bytes(let layer): "bytes.\(layer.rawValue)"
        case .status(let digit): "status.\(digit)"
        case .abandoned: "abandoned"
        case .savedByCodings: "saved.codings"
        case .savedByDeltas: "saved.deltas"
        case .revalidations: "revalidations"
        case .confirmations: "confirmations"
        case .misses: "misses"
        case .failures(let failure): "failures.\(failure.rawValue)"
        case .offlinePages: "offlinePages"
        }
    }
}

/// Why the network had no response.
package enum UsageFailure: String, CaseIterable {
    /// The network is switched off.
    case offline
    /// The origin doesn't respond, or not as HTTP says.
    case noResponse
    /// The origin may not be connected to.
    case denied
    /// The client allowed only stored responses, and none satisfied it.
    case onlyIfCached
}

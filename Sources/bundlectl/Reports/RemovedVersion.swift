import BundleStore

/// A version that was removed to make room, and why.
struct RemovedVersion: Encodable {
    let name: String
    let version: String
    let reason: String
    /// For a person.
    let line: String

    private enum CodingKeys: CodingKey {
        case name, version, reason
    }

    init(_ release: RemovedRelease) {
        name = release.name.string
        version = release.version.string
        reason = release.reason.rawValue
        line = release.description(limitedBy: "--keep")
    }
}

extension QuotaRemoval {
    /// The dropped responses as lines of text.
    var responseLines: [String] {
        guard responseCount > 0 else { return [] }
        let responses = Quantity.text(responseCount, "response")
        return ["dropped \(responses) of the cache, \(ByteCount.text(responseByteCount)): the quota had no room"]
    }

    /// The removals of several installations together.
    static func + (left: QuotaRemoval, right: QuotaRemoval) -> QuotaRemoval {
        var sum = left
        sum.releases += right.releases
        sum.responseCount += right.responseCount
        sum.responseByteCount += right.responseByteCount
        return sum
    }
}

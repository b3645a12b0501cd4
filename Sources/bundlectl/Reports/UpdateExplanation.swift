import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

/// What `check --explain` says of a feed: exactly what the policy has returned.
struct UpdateExplanation: Encodable {
    /// A release of the feed.
    struct Candidate: Encodable {
        let version: String
        let byteCount: Int64
        let isCritical: Bool
        let notes: String?
        let isChosen: Bool
        let rejection: Rejection?
    }

    /// Why a release isn't chosen.
    struct Rejection: Encodable {
        let code: String
        let reason: String

        init(_ rejection: UpdateRejection) {
            code = rejection.code
            reason = rejection.description
        }
    }

    let decidedAt: Date
    /// Why the feed as a whole isn't used.
    let feed: Rejection?
    let chosen: String?
    let candidates: [Candidate]

    init(_ decision: UpdateDecision) {
        decidedAt = decision.date
        feed = decision.feedRejection.map(Rejection.init)
        chosen = decision.choice?.version.string
        candidates = decision.candidates.map { candidate in
            Candidate(
                version: candidate.release.version.string,
                byteCount: candidate.release.size,
                isCritical: candidate.release.terms.isCritical,
                notes: candidate.release.terms.notes,
                isChosen: candidate.rejection == nil,
                rejection: candidate.rejection.map(Rejection.init)
            )
        }
    }

    /// A line for each release, the highest version first.
    var lines: [String] {
        guard !candidates.isEmpty else { return ["  the feed offers nothing"] }
        var table = Table([("  VERSION", .left), ("SIZE", .right), ("DECISION", .left)])
        for candidate in candidates {
            let verdict = candidate.rejection?.reason ?? "chosen"
            table.add([
                "  \(candidate.version)", ByteCount.text(candidate.byteCount),
                verdict + (candidate.isCritical ? " (critical)" : ""),
            ])
        }
        return table.lines
    }
}

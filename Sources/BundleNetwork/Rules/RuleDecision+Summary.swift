import BundleStore

extension RuleDecision {
    /// A line for each rule that applies or, depending on the response, may apply: where it is written, and what it does.
    /// Safe to print.
    package var summary: [String] {
        let depending = undecided.map { candidate in
            let types = candidate.rule.match.mediaTypes.map(\.string).joined(separator: ", ")
            return "\(candidate): \(candidate.rule.summary), if the response is \(types)"
        }
        return (depending + [applied].compactMap { $0 }.map { "\($0): \($0.rule.summary)\(rewriting)" })
            .map(Printable.line)
    }

    private var rewriting: String {
        switch target {
        case .unchanged: ""
        case .rewritten(let url, let isOtherOrigin): "; requests \(url)\(isOtherOrigin ? " without credentials" : "")"
        case .refused: "; refused, because it rewrites the URL to one outside the bundle's origins"
        }
    }
}

extension NetworkRule {
    fileprivate var summary: String {
        if let redirect { return "redirects with \(redirect.status) to \(redirect.place)" }
        if let mock { return "mocks \(mock.status)\(mock.file.map { " with \($0)" } ?? "")" }
        let parts = [
            strategy.rawValue + (timeLimit.map { ", after \($0.count) ms what is stored" } ?? ""),
            isNeverOffline ? "nothing stored without a network" : nil,
            connectTo.map { "connects to \($0.string)" },
            requestFields.isEmpty ? nil : "changes request fields",
            responseFields.isEmpty ? nil : "changes response fields",
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}

extension BundleManifestParser {
    mutating func health(_ element: JSONElement) throws(BundleError) -> HealthTerms {
        try warn(about: element, besides: HealthTerms.Key.allCases.map(\.rawValue))
        let defaults = HealthTerms()
        let seconds = try element.member(HealthTerms.Key.within.rawValue).map(within) ?? defaults?.withinSeconds
        let starts = try element.member(HealthTerms.Key.starts.rawValue).map(starts) ?? defaults?.starts
        guard let seconds, let starts, let terms = HealthTerms(withinSeconds: seconds, starts: starts) else {
            throw element.refused("has a number out of its bounds")
        }
        return terms
    }

    private func within(_ element: JSONElement) throws(BundleError) -> Int64 {
        let text = try element.string()
        guard let seconds = DurationText.seconds(in: text), (1...HealthTerms.maximumSeconds).contains(seconds) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a duration from 1s to 1h, such as \"30s\" or \"5m\""
            )
        }
        return seconds
    }

    private func starts(_ element: JSONElement) throws(BundleError) -> Int {
        guard case .number(let number) = element.value else { throw element.mismatch("a number") }
        guard let starts = Int(number.text), (1...HealthTerms.maximumStarts).contains(starts) else {
            throw element.refused(
                "\(Printable.text(number.text)) is not a number of starts: use 1 to \(HealthTerms.maximumStarts)"
            )
        }
        return starts
    }
}

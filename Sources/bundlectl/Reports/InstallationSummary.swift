/// The result of `installation`.
struct InstallationSummary: Report {
    struct Position: Encodable {
        let name: String
        /// In percent, rounded down to hundredths.
        let position: Double
    }

    /// Nil when they were forgotten.
    let bundles: [Position]?

    init(positions: [(name: String, position: Double)]?) {
        bundles = positions?.map { Position(name: $0.name, position: ($0.position * 100).rounded(.down) / 100) }
    }

    var lines: [String] {
        guard let bundles else { return ["the positions are discarded; the next check draws new ones"] }
        return bundles.isEmpty ? ["no bundle is installed"] : bundles.map { "\($0.name): at \($0.position)%" }
    }
}

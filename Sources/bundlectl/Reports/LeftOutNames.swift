import BundleStore

/// What of a folder isn't packed, installed or served, in one line of text.
enum LeftOutNames {
    private static let shownCount = 5

    /// How many names were left out, and the first of them; nil for none.
    static func line(_ names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(shownCount).map(Printable.line).joined(separator: ", ")
        let rest = names.count > shownCount ? ", …" : ""
        return "left out \(Quantity.text(names.count, "name")), hidden or excluded: \(shown)\(rest)"
    }
}

import BundleNetwork
import BundleStore

/// What was fetched ahead for a bundle, in the results of `install`, `update` and `check`.
struct PrecacheSummary: Encodable {
    let name: String
    let urlCount: Int
    let storedCount: Int
    let fetchedCount: Int
    /// Why the first of those that aren't stored isn't.
    let failure: String?

    init(_ report: PrecacheReport) {
        name = report.name.string
        urlCount = report.items.count
        storedCount = report.storedCount
        fetchedCount = report.fetchedCount
        failure = report.missing.lazy.compactMap(\.failure).first
    }

    /// The line of the text, safe to print.
    var line: String {
        let all = "\(storedCount) of \(Quantity.text(urlCount, "URL"))"
        guard storedCount < urlCount else { return "fetched ahead for \(name): \(all)" }
        let reason = failure.map { ": \(Printable.line($0))" } ?? ""
        return "fetched ahead for \(name): \(all); serve and update fetch the rest later\(reason)"
    }
}

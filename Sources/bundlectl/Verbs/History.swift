import ArgumentParser
import BundleStore
import Foundation

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Tell what has happened to the bundles, and why.",
        discussion: """
            Checks, choices, downloads, installations, activations and rollbacks, the oldest first: the latest 200 of a \
            bundle, and 2,000 in all. A check, a choice or a failure that repeats the last one of its kind isn't listed \
            again. The history of a bundle is removed with it.

            Example:
              bundlectl history shop --json
            """
    )

    @Argument(help: "The bundle. Default: all.")
    var name: BundleName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.console.report(EventList(events: try store.open().history(of: name)))
    }
}

/// The result of `history`.
struct EventList: Report {
    let events: [UpdateEvent]

    var lines: [String] {
        guard !events.isEmpty else { return ["nothing has happened yet"] }
        return Table.lines(
            of: events,
            [
                .left("WHEN") { Timestamp.text($0.date) }, .left("NAME") { $0.bundle.string },
                .left("EVENT") { $0.kind.rawValue },
                .left("VERSION") { $0.version?.string ?? "none" }, .left("DETAILS") { $0.remark },
            ]
        )
    }
}

extension UpdateEvent {
    /// Everything about it that has no column of its own, safe to print.
    fileprivate var remark: String {
        let bytes =
            receivedByteCount.map { "\(ByteCount.text($0)) received" }
            ?? predictedByteCount.map { "\(ByteCount.text($0)) to receive" }
        return [previous.map { "from \($0.string)" }, plan.map { "by \($0)" }, bytes, detail].compactMap(\.self)
            .map(Printable.line).joined(separator: ", ")
    }
}

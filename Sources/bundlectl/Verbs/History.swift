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
        try output.console.report(EventList(try store.open().history(of: name)))
    }
}

/// The result of `history`.
struct EventList: Report {
    let events: [EventSummary]

    init(_ events: [UpdateEvent]) {
        self.events = events.map(EventSummary.init)
    }

    var lines: [String] {
        guard !events.isEmpty else { return ["nothing has happened yet"] }
        return Table.lines(
            of: events,
            [
                .left("WHEN") { Timestamp.text($0.date) }, .left("NAME") { $0.name }, .left("EVENT") { $0.kind },
                .left("VERSION") { $0.version ?? "none" }, .left("DETAILS") { $0.remark },
            ]
        )
    }
}

/// What has happened to a bundle, as `history` has it.
struct EventSummary: Encodable {
    let number: Int64
    let kind: String
    let name: String
    let date: Date
    let version: String?
    let previous: String?
    let detail: String?
    let plan: String?
    let predictedByteCount: Int64?
    let receivedByteCount: Int64?

    init(_ event: UpdateEvent) {
        (number, kind, name, date) = (event.number, event.kind.rawValue, event.bundle.string, event.date)
        (version, previous, detail) = (event.version?.string, event.previous?.string, event.detail)
        (plan, predictedByteCount, receivedByteCount) = (event.plan, event.predictedByteCount, event.receivedByteCount)
    }

    /// Everything about it that has no column of its own, safe to print.
    var remark: String {
        let bytes =
            receivedByteCount.map { "\(ByteCount.text($0)) received" }
            ?? predictedByteCount.map { "\(ByteCount.text($0)) to receive" }
        return [previous.map { "from \($0)" }, plan.map { "by \($0)" }, bytes, detail].compactMap(\.self)
            .map(Printable.line).joined(separator: ", ")
    }
}

import ArgumentParser
import BundleStore
import BundleUpdate
import Foundation

struct Trust: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Say by which publisher's root the feed of a bundle is trusted.",
        discussion: """
            A feed that says that it is signed is trusted from the first installation on. From then on only what its publisher has \
            signed is installed, also after the bundle was removed and installed again.

            Examples:
              bundlectl trust list
              bundlectl trust add shop 1.root.json
              bundlectl trust remove shop
            """,
        subcommands: [TrustList.self, TrustShow.self, TrustAdd.self, TrustRemove.self, TrustTimekeeping.self],
        defaultSubcommand: TrustList.self
    )
}

struct TrustList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the bundles whose feeds have to be signed.",
        discussion: """
            Updates end at the time in UNTIL unless the publisher signs something new. What is installed stays.

            Example:
              bundlectl trust list
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        let names = try store.trustAnchors().keys.sorted()
        let reports = try names.compactMap { try TrustReport(of: $0, in: store) }
        try output.console.report(TrustListSummary(reports, clock: store.trustClock()))
    }
}

struct TrustShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show which keys vouch for the feed of a bundle.",
        discussion: """
            Example:
              bundlectl trust show shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let report = try TrustReport(of: name, in: store.open()) else { throw TrustSummary.untrusted(name) }
        try output.console.report(TrustDetails(report: report))
    }
}

struct TrustAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Trust the feed of a bundle by a publisher's root, and by no other one.",
        discussion: """
            The bundle needn't be installed yet. Give the publisher's first root, 1.root.json, whose digest “bundlectl keys show” \
            prints; later ones are followed.

            Example:
              bundlectl trust add shop 1.root.json
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Argument(help: ArgumentHelp("The publisher's root.", valueName: "root.json"), completion: .file())
    var root: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let bytes = try InputDocument(root, atMost: BundleStore.maximumRootByteCount).bytes
        let store = try store.open(creating: true)
        try store.trust(name, root: bytes, named: Printable.line(root))
        try output.console.report(TrustSummary(name: name.string, root: store.trustAnchor(of: name)?.digest.hex))
    }
}

struct TrustRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "End the trust in the feed of a bundle.",
        discussion: """
            The next feed of the bundle needn't be signed, and one that says that it is signed is trusted from its first use on, \
            by the root of any publisher.

            Example:
              bundlectl trust remove shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard try store.open().endTrust(of: name) else { throw TrustSummary.untrusted(name) }
        try output.console.report(TrustSummary(name: name.string, root: nil))
    }
}

struct TrustTimekeeping: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Say whether this device has a clock by which signatures expire.",
        discussion: """
            “none” is for a device whose clock doesn't go on without power. Signatures expire then by what is known to be past \
            alone: the day of this program, and the time at which the latest signature was made that was accepted. Nothing older \
            comes back, but a server that holds news back for ever isn't noticed. Without an argument the setting is shown.

            Example:
              bundlectl trust clock none
            """
    )

    @Argument(help: "none, or machine for the clock of this machine.")
    var clock: TrustClock?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open(creating: clock != nil)
        if let clock { try store.setTrustClock(clock) }
        try output.console.report(TrustClockSummary(clock: clock ?? store.trustClock()))
    }
}

extension TrustClock: ExpressibleByArgument {}

/// The result of `trust clock`.
struct TrustClockSummary: Report {
    let clock: TrustClock

    var lines: [String] { ["signatures expire \(Self.text(clock))"] }

    /// By what they do, as the rest of a sentence.
    static func text(_ clock: TrustClock) -> String {
        switch clock {
        case .machine: "by this machine's clock"
        case .absent:
            "by what is known to be past, not by the clock: a server that holds news back for ever isn't noticed"
        }
    }
}

/// The result of `trust add` and `trust remove`.
struct TrustSummary: Report {
    let name: String
    /// SHA-256 of the root; nil when there is none any more.
    let root: String?

    var lines: [String] {
        [
            root.map { "the feed of \(name) is trusted by the root sha256:\($0) alone" }
                ?? "the feed of \(name) needn't be signed"
        ]
    }

    static func untrusted(_ name: BundleName) -> BundleError {
        BundleError(.notFound, "the feed of \(name) isn't trusted by any root, and needn't be signed")
    }
}

/// The result of `trust list`.
struct TrustListSummary: Report {
    /// A bundle whose feed has to be signed.
    struct Entry: Encodable {
        let name: String
        let root: String
        let isPinned: Bool
        let since: Date
        /// Nil where nothing but the root was received.
        let expires: Date?
    }

    let bundles: [Entry]
    /// By what signatures expire.
    let clock: TrustClock

    init(_ reports: [TrustReport], clock: TrustClock) {
        self.clock = clock
        bundles = reports.map {
            Entry(name: $0.name.string, root: $0.root, isPinned: $0.isPinned, since: $0.since, expires: $0.expires)
        }
    }

    var lines: [String] {
        guard !bundles.isEmpty else { return ["no bundle's feed has to be signed"] }
        let remark = clock == .absent ? ["", "signatures expire \(TrustClockSummary.text(clock))"] : []
        return Table.lines(
            of: bundles,
            [
                .left("NAME") { $0.name }, .left("SINCE") { Timestamp.text($0.since) },
                .left("UNTIL") { $0.expires.map(Timestamp.text) ?? "-" },
                .left("BEGAN WITH") { $0.isPinned ? "first use" : "a given root" },
                .left("ROOT") { "sha256:\($0.root)" },
            ]
        ) + remark
    }
}

/// The result of `trust show`.
struct TrustDetails: Report {
    let report: TrustReport

    func encode(to encoder: any Encoder) throws { try report.encode(to: encoder) }

    var lines: [String] {
        let facts = KeyValueList.lines([
            ("name", report.name.string), ("root", "sha256:\(report.root)"),
            ("began with", report.isPinned ? "the root that came with the feed" : "a root that was given"),
            ("since", Timestamp.text(report.since)), ("time", Timestamp.text(report.time)),
        ])
        return facts + [""]
            + Table.lines(
                of: report.roles,
                [
                    .left("ROLE") { Printable.line($0.name) }, .right("VERSION") { $0.version.map(String.init) ?? "-" },
                    .left("EXPIRES") { ($0.expires.map(Timestamp.text) ?? "-") + state(of: $0) },
                    .left("SIGNED BY") { "\($0.threshold) of \($0.keys.map(Printable.line).joined(separator: ", "))" },
                ]
            )
    }

    private func state(of role: TrustReport.Role) -> String {
        guard let expiry = role.expires, role.isDue else { return "" }
        return expiry <= report.time ? " (expired)" : " (due)"
    }
}

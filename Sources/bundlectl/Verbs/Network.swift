import ArgumentParser
import BundleStore
import Foundation

struct Network: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Show the state of the origins, or say whether the link is metered.",
        discussion: """
            Examples:
              bundlectl network
              bundlectl network metered on
            """,
        subcommands: [NetworkState.self, NetworkMetering.self],
        defaultSubcommand: NetworkState.self
    )
}

struct NetworkState: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show whether the link is metered, and which origins respond.",
        discussion: """
            An origin that doesn't respond is out (its circuit is open): what is stored is served at once, and the origin \
            is asked once a second behind the responses. A running server writes within a second \
            when an origin goes out or returns, and everything else every 30 seconds, or five while one is out.

            Example:
              bundlectl network --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        try output.console.report(
            NetworkSummary(
                isMetered: try store.meteredSetting(),
                isServed: store.isBeingServed,
                origins: try store.originStates()
            )
        )
    }
}

struct NetworkMetering: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metered",
        abstract: "Say that the link is metered, or that it isn't.",
        discussion: """
            On a metered link the network rules with “onlyIfMetered” apply. Running servers of the store see it within a \
            second, and later ones at their start. It counts before --metered of serve; “default” takes it back.

            Examples:
              bundlectl network metered on
              bundlectl network metered default
            """
    )

    /// What is said.
    enum Setting: String, CaseIterable, ExpressibleByArgument {
        case on, off, `default`

        fileprivate var isMetered: Bool? {
            switch self {
            case .on: true
            case .off: false
            case .default: nil
            }
        }
    }

    @Argument(help: "on, off, or default for what servers are started with.")
    var setting: Setting

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        try store.setMetered(setting.isMetered)
        try output.console.report(MeteringSummary(isMetered: setting.isMetered))
    }
}

/// The result of `network`.
struct NetworkSummary: Report {
    /// An origin, as a server has seen it.
    struct Origin: Encodable {
        let state: OriginState
        let notedAt: Date

        private enum CodingKeys: CodingKey {
            case notedAt
        }

        func encode(to encoder: any Encoder) throws {
            try state.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(notedAt, forKey: .notedAt)
        }
    }

    /// Nil when servers decide at their start.
    let isMetered: Bool?
    /// Nil when that can't be determined.
    let isServed: Bool?
    let origins: [Origin]

    init(isMetered: Bool?, isServed: Bool?, origins: [(state: OriginState, notedAt: Date)]) {
        self.isMetered = isMetered
        self.isServed = isServed
        self.origins = origins.map(Origin.init)
    }

    var lines: [String] {
        let facts = KeyValueList.lines([
            ("metered", MeteringSummary.text(isMetered)),
            ("server", isServed.map { $0 ? "running" : "not running; the origins are as the last one saw them" }),
        ])
        guard !origins.isEmpty else { return facts + ["no origin has been asked"] }
        return facts + [""] + table + failureLines
    }

    private var table: [String] {
        Table.lines(
            of: origins,
            [
                .left("STATE") { $0.state.text }, .right("RESPONSES") { String($0.state.responseCount) },
                .right("FAILURES") { String($0.state.failureCount) },
                .left("LAST") { $0.state.recent.suffix(5).map { $0 == 0 ? "-" : String($0) }.joined(separator: " ") },
                .left("NOTED") { Timestamp.text($0.notedAt) }, .left("ORIGIN") { Printable.line($0.state.origin) },
            ]
        )
    }

    private var failureLines: [String] {
        let failures = origins.compactMap { origin -> String? in
            guard let failure = origin.state.failure, let date = origin.state.failedAt else { return nil }
            return Printable.line("\(origin.state.origin) at \(Timestamp.text(date)): \(failure)")
        }
        return failures.isEmpty ? [] : ["", "last failures:"] + failures
    }
}

extension OriginState {
    fileprivate var text: String {
        guard circuit == .open, let nextTry else { return circuit.rawValue }
        return "open until \(Timestamp.text(nextTry))"
    }
}

/// The result of `network metered`.
struct MeteringSummary: Report {
    /// Nil when servers decide at their start.
    let isMetered: Bool?

    var lines: [String] { ["metered: \(Self.text(isMetered))"] }

    static func text(_ isMetered: Bool?) -> String {
        isMetered.map { $0 ? "on" : "off" } ?? "as the server was started"
    }
}

import ArgumentParser
import BundleServer
import BundleStore
import BundleTransport
import Foundation

/// Where metrics are pushed to, and what an installation is known by there.
struct TelemetryOptions: ParsableArguments {
    static let options = [telemetry, telemetryInstance, label]

    private static let telemetry = ConfigurableOption(
        "telemetry",
        "Push the metrics to a collector: otlp+http://HOST:PORT/v1/metrics (OTLP in JSON) or pushgateway+http://HOST:PORT, also "
            + "with https.",
        value: "collector"
    )
    @Option(Self.telemetry) var telemetry: TelemetryTargetArgument?

    private static let telemetryInstance = ConfigurableOption(
        "telemetry-instance",
        "What this installation is called in the metrics; off leaves that out.",
        value: "instance|off",
        default: "a random number that the store keeps"
    )
    @Option(Self.telemetryInstance) var telemetryInstance: InstanceArgument?

    private static let label = ConfigurableOption.list(
        "label",
        "A label of this installation for the metrics, such as site=42; may be repeated.",
        value: "label=value"
    )
    @Option(Self.label) var label: [FleetLabelArgument] = []

    func validate() throws {
        guard label.count <= FleetLabel.maximumCount else {
            throw ValidationError("there are more than \(FleetLabel.maximumCount) labels; leave some out")
        }
        let names = Dictionary(grouping: label, by: \.label.name)
        if let name = names.filter({ $0.value.count > 1 }).keys.min() {
            throw ValidationError("--label \(name) is given twice; leave one out")
        }
    }

    /// What the installation is known by in the metrics.
    func identity(of store: BundleStore) -> FleetIdentity {
        let installation: String? =
            switch telemetryInstance {
            case .named(let name): name
            case .off: nil
            case nil: FleetIdentity.number(of: store)
            }
        return FleetIdentity(program: "bundlectl", installation: installation, labels: label.map(\.label))
    }

    /// Calls `body`, and pushes then what the metrics have of the store, if there is a collector. That changes nothing of the
    /// result.
    ///
    /// - Parameters:
    ///   - access: How the collector is reached.
    ///   - warn: Called with a line when the collector hasn't taken all of it.
    /// - Throws: What `body` throws.
    func pushing<Result>(
        _ store: BundleStore,
        over access: NetworkAccess,
        warn: (String) -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let start = Date()
        return try await concluding(body) {
            guard let telemetry else { return }
            // What can't be read now is left out.
            _ = try? store.refresh()
            let identity = identity(of: store)
            var page = MetricPage()
            FleetGauge(store).write(to: &page)
            identity.write(to: &page)
            ProcessMetrics.writeBuild(to: &page)
            let outcome = await access.withTransport { [page] transport in
                let exporter = TelemetryExporter(to: telemetry.target, as: identity, over: transport)
                return await exporter.push(page, since: start).outcome
            }
            outcome.warning.map { warn("--telemetry: \($0)") }
        }
    }
}

/// The URL of a collector, with its form.
struct TelemetryTargetArgument: ExpressibleByArgument, Equatable {
    let target: TelemetryTarget

    init?(argument: String) {
        guard let target = TelemetryTarget(argument) else { return nil }
        self.target = target
    }
}

/// `NAME` or `off`.
enum InstanceArgument: ExpressibleByArgument, Equatable {
    case named(String)
    case off

    private static let maximumByteCount = 128

    /// Nil for a name that is empty, too long, or has other characters than those of printable ASCII.
    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else {
            guard (1...Self.maximumByteCount).contains(argument.utf8.count),
                argument.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
            self = .named(argument)
        }
    }
}

/// `NAME=VALUE`.
struct FleetLabelArgument: ExpressibleByArgument, Equatable {
    let label: FleetLabel

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="),
            let label = FleetLabel(
                name: String(argument[..<equals]),
                value: String(argument[argument.index(after: equals)...])
            )
        else { return nil }
        self.label = label
    }
}

import BundleModel
import CWebKitGTK
import OfflineBundles

/// Tells a client, and the badge, whether there is a link to the network and whether it is metered, as GLib's monitor and the
/// machine's interfaces say; see ``LinkDecision``.
@MainActor
final class LinkWatch {
    private struct Report: Sendable {
        let isAvailable: Bool
        let isMetered: Bool
    }

    // GLib's own, for as long as the process lives.
    private let monitor: OpaquePointer = g_network_monitor_get_default()
    private let reports = AsyncStream<Report>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Watches until the process ends.
    init(_ client: BundleClient, _ connection: ConnectionState) {
        for signal in ["network-changed", "notify::network-metered"] {
            Signal.connect(UnsafeMutableRawPointer(monitor), signal, arguments: 1) { [self] _ in
                look()
                return false
            }
        }
        Task.detached { [reports] in
            for await report in reports.stream {
                client.link.isMetered = report.isMetered
                let isUp = Self.isUp(client, report.isAvailable)
                guard client.link.isUp != isUp else { continue }
                client.link.isUp = isUp
                connection.note(hasLink: isUp)
            }
        }
        look()
        watchReturn(client.link)
    }

    /// Looks again: the network or the origins have changed.
    func look() {
        let isAvailable = g_network_monitor_get_network_available(monitor) != 0
        let isMetered = g_network_monitor_get_network_metered(monitor) != 0
        reports.continuation.yield(Report(isAvailable: isAvailable, isMetered: isMetered))
    }

    /// While there is no link, looks each second: the monitor's word isn't needed for its return.
    private func watchReturn(_ link: NetworkLink) {
        Task.detached {
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                if !link.isUp { await MainLoop.call { self.look() } }
            }
        }
    }

    /// May wait for a look-up of names.
    private nonisolated static func isUp(_ client: BundleClient, _ isAvailable: Bool) -> Bool {
        LinkDecision.isUp(
            isAvailable: isAvailable,
            hasInterface: Machine.hasInterface,
            targets: LinkTargets(client.store.snapshot.bundles.values.compactMap { $0.serving?.manifest }),
            isLocal: Machine.isHost
        )
    }
}

/// Whether there is a link to the network at all.
///
/// A wrong “no” would hide origins that respond, so it takes all that can be known: the system sees no network, no interface
/// could carry a packet, and no origin is on the machine itself. What the system calls “available” or “local” depends on a
/// default route, which a kiosk in a network of its own, a container or a tunnel needn't have; so that alone says nothing.
enum LinkDecision {
    /// - Parameters:
    ///   - isAvailable: What the system says.
    ///   - hasInterface: Whether an interface, other than loopback, is running and has an address.
    ///   - targets: Where requests may lead.
    ///   - isLocal: Whether a host is the machine itself. Asked only without an interface.
    static func isUp(
        isAvailable: Bool,
        hasInterface: Bool,
        targets: LinkTargets,
        isLocal: (String) -> Bool
    ) -> Bool {
        isAvailable || hasInterface || targets.hosts.contains(where: isLocal)
    }
}

/// The hosts that requests for the bundles of a store lead to.
struct LinkTargets: Equatable, Sendable {
    /// Names, and addresses without brackets.
    private(set) var hosts: Set<String> = []

    /// The origins, and the hosts that network rules connect to in their place; rewritten URLs lie below the origins too.
    init(_ manifests: some Sequence<BundleManifest>) {
        for manifest in manifests {
            hosts.formUnion(manifest.origins.map(\.origin.host.withoutBrackets))
            hosts.formUnion(manifest.network.rules.compactMap { $0.connectTo?.host.withoutBrackets })
        }
    }
}

extension String {
    /// The host of a URL as an address or a name.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}

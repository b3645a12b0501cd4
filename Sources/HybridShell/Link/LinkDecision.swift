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

import BundleModel
import BundleNetwork
import BundleTesting
import Dispatch
import Testing

@testable import BundleTransport

/// A name server: names that begin with `slow` have no response until it is opened; those that begin with `late` are reported
/// unknown after two seconds at first, and have no response either after that; all others have one at once.
final class ScriptedResolver: Sendable {
    let clock = TestClock()
    /// The address of every name.
    let address: NetworkAddress
    private let gate = DispatchGroup()
    private let asked = Monitor<[String]>([])
    private let isOpen = Monitor(false)

    init() throws {
        address = try #require(NetworkAddress("1.1.1.1"))
        gate.enter()
    }

    /// What was looked up, in order.
    var calls: [String] { asked.state }

    func waitForCalls(_ count: Int) async throws {
        _ = try await asked.wait(for: "\(count) look-ups", deadline: .seconds(30)) { $0.count >= count ? () : nil }
    }

    func resolve(_ name: String) -> [NetworkAddress] {
        let count = asked.update { asked in
            asked.append(name)
            return asked.count { $0 == name }
        }
        if name.hasPrefix("late"), count == 1 {
            clock.advance(by: .seconds(2))
            return []
        }
        if name.hasPrefix("slow") || name.hasPrefix("late") { gate.wait() }
        return name.hasPrefix("unknown") ? [] : [address]
    }

    /// Lets all look-ups end.
    func open() {
        let isFirst = isOpen.update { isOpen in
            defer { isOpen = true }
            return !isOpen
        }
        if isFirst { gate.leave() }
    }
}

/// Lends a name server that is opened in the end, and look-ups by it.
func withResolver(_ body: (ScriptedResolver, HostLookups) async throws -> Void) async throws {
    let resolver = try ScriptedResolver()
    defer { resolver.open() }
    try await body(resolver, HostLookups(clock: resolver.clock) { resolver.resolve($0) })
}

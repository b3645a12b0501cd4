import BundleNetwork
import BundleStore
import BundleTesting
import HTTPCore
import HTTPTypes
import NIOCore
import Testing

@testable import BundleTransport

@Suite("Look-ups of host names")
struct HostLookupsTests {
    /// Begins to wait for names, one after the other.
    ///
    /// - Parameter earlier: How many names were waited for before.
    private func wait(
        for names: [String],
        after earlier: Int = 0,
        _ resolver: ScriptedResolver,
        _ lookups: HostLookups
    ) async throws -> [Task<[NetworkAddress]?, any Error>] {
        var tasks: [Task<[NetworkAddress]?, any Error>] = []
        for (index, name) in names.enumerated() {
            tasks.append(Task { try await lookups.addresses(of: name, within: .seconds(5)) })
            try await resolver.clock.waitForSleeps(earlier + index + 1)
        }
        return tasks
    }

    @Test("of one name are shared by all who wait for it, whatever its case")
    func shared() async throws {
        try await withResolver { resolver, lookups in
            let names = (0..<20).map { $0.isMultiple(of: 2) ? "slow.example" : "SLOW.Example" }
            let tasks = try await wait(for: names, resolver, lookups)
            resolver.open()
            for task in tasks { #expect(try await task.value == [resolver.address]) }
            #expect(resolver.calls == ["slow.example"])
            #expect(try await lookups.addresses(of: "slow.example", within: .seconds(5)) == [resolver.address])
            #expect(resolver.calls.count == 2)
        }
    }

    @Test("that hang delay no other name, as long as there is a thread")
    func hanging() async throws {
        try await withResolver { resolver, lookups in
            let names = (1..<LookupQueue.maximumRunningCount).map { "slow\($0).example" }
            let tasks = try await wait(for: names, resolver, lookups)
            #expect(try await lookups.addresses(of: "shop.example", within: .seconds(5)) == [resolver.address])
            resolver.clock.advance(by: .seconds(5))
            for task in tasks { #expect(try await task.value == nil) }
        }
    }

    @Test("that hang again take two threads, however many they are")
    func hangingAgain() async throws {
        try await withResolver { resolver, lookups in
            let names = (0..<30).map { "late\($0).example" }
            for name in names { #expect(try await lookups.addresses(of: name, within: .seconds(5)) == nil) }
            let tasks = try await wait(for: names, after: names.count, resolver, lookups)
            for number in 0..<20 {
                let host = "shop\(number).example"
                #expect(try await lookups.addresses(of: host, within: .seconds(5)) == [resolver.address])
            }
            try await resolver.waitForCalls(names.count + 20 + LookupQueue.maximumSlowCount)
            #expect(resolver.calls.count { $0.hasPrefix("late") } == names.count + LookupQueue.maximumSlowCount)
            resolver.open()
            for task in tasks { #expect(try await task.value == [resolver.address]) }
        }
    }

    @Test("that find nothing are over at once, or count as unfinished", arguments: ["unknown", "late"])
    func nothing(host: String) async throws {
        try await withResolver { resolver, lookups in
            let addresses = try await lookups.addresses(of: host, within: .seconds(5))
            #expect(addresses == (host == "unknown" ? [] : nil))
        }
    }

    @Test("go on when one of those who wait is cancelled")
    func cancellation() async throws {
        try await withResolver { resolver, lookups in
            let tasks = try await wait(for: ["slow.example", "slow.example"], resolver, lookups)
            tasks[0].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[0].value }
            resolver.open()
            #expect(try await tasks[1].value == [resolver.address])
            #expect(resolver.calls == ["slow.example"])
        }
    }

    @Test("that were given up serve who comes before they end")
    func late() async throws {
        try await withResolver { resolver, lookups in
            let first = try await wait(for: ["slow.example"], resolver, lookups)
            resolver.clock.advance(by: .seconds(5))
            #expect(try await first[0].value == nil)
            let second = Task { try await lookups.addresses(of: "slow.example", within: .seconds(5)) }
            try await resolver.clock.waitForSleeps(2)
            resolver.open()
            #expect(try await second.value == [resolver.address])
            #expect(resolver.calls == ["slow.example"])
        }
    }

    @Test("wait while eight run, aren't made when nobody waits any more, and are refused when too many wait")
    func bounds() async throws {
        try await withResolver { resolver, lookups in
            let count = LookupQueue.maximumRunningCount + LookupQueue.maximumWaitingCount
            let tasks = try await wait(for: (0..<count).map { "slow\($0).example" }, resolver, lookups)
            await #expect(throws: HostLookups.Overload.self) {
                try await lookups.addresses(of: "shop.example", within: .seconds(5))
            }
            let error = await failure(of: "shop.example", lookups)
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("too many other host names are being looked up") == true)
            resolver.clock.advance(by: .seconds(5))
            for task in tasks { #expect(try await task.value == nil) }
            try await resolver.waitForCalls(LookupQueue.maximumRunningCount)
            resolver.open()
            #expect(try await lookups.addresses(of: "shop.example", within: .seconds(5)) == [resolver.address])
            #expect(resolver.calls.count == LookupQueue.maximumRunningCount + 1)
        }
    }

    /// The error of a request to a host.
    private func failure(of host: String, _ lookups: HostLookups) async -> BundleError? {
        let transport = NIOTransport(network: OriginNetwork(.local, lookups: lookups))
        let request = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/")
        let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
        await transport.shutdown()
        return error
    }

    @Test(
        "give addresses of which each is judged, with the port of the request",
        arguments: [
            (["1.1.1.1"], nil), (["1.1.1.1", "10.0.0.1"], "10.0.0.1"), (["10.0.0.1", "1.1.1.1"], "10.0.0.1"),
            (["169.254.169.254"], "169.254.169.254"), (["1.1.1.1", "1.0.0.1"], "1.0.0.1"), ([], nil),
        ] as [([String], String?)]
    )
    func judging(addresses: [String], denied: String?) async throws {
        let found = try addresses.map { try #require(NetworkAddress($0)) }
        let network = OriginNetwork(OriginAddressPolicy(allowing: []), lookups: HostLookups { _ in found })
        // Two of them are the process's own for their ports.
        let own = try [("1.0.0.1", 8080), ("1.1.1.1", 80)].map {
            OriginNetwork.Listener(try #require(NetworkAddress($0)), port: $1)
        }
        network.serve(at: own, isLocal: false)
        do {
            let allowed = try await network.addresses(of: "shop.example", port: 8080, within: .seconds(30))
            #expect(denied == nil)
            #expect(allowed.map(\.ipAddress) == addresses)
            #expect(allowed.allSatisfy { $0.port == 8080 })
        } catch let denial as OriginDenial {
            let name = try #require(denied)
            #expect(denial.error(at: "shop").message.contains(name))
        } catch ConnectionProblem.noAddress {
            #expect(addresses.isEmpty)
        }
    }
}

import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("The state of the origins in the store", .timeLimit(.minutes(5)))
struct OriginStateServiceTests {
    @Test("a change of state is written within a second, numbers every 30 seconds and at the end")
    func recorded() async throws {
        try await withStore { store in
            try store.installShop()
            let (clock, log, network) = (TestClock(), RecordedLog(), ScriptedTransport())
            let layers = LayeredResponder(store, transport: network, retries: .none)
            let recorder = OriginStateService(store, layers, clock: clock, logger: log.logger)
            let group = ServiceGroup(configuration: .init(services: [recorder], logger: log.logger))
            var left = OriginState("https://cdn.example")
            (left.circuit, left.nextTry, left.failure) = (.open, Date(), "no route to it")
            try store.recordOriginStates([left])
            let running = Task { try await group.run() }
            try await clock.waitForSleeps(1)
            #expect(store.isBeingServed == true)
            (left.circuit, left.nextTry) = (.closed, nil)
            #expect(try store.originStates().map(\.state) == [left])

            network.isDown = true
            _ = try await layers.load("https://m.example.com/shop/x")
            try await clock.step(by: .seconds(1))
            var state = try #require(try store.originStates().last?.state)
            #expect(state.origin == "https://m.example.com")
            #expect(state.circuit == .open)
            #expect(state.failure?.contains("no server responds") == true)
            #expect(log.lines.count == 1)

            network.isDown = false
            network.response("https://m.example.com/shop/x", .ok, [:], "x")
            for _ in 0..<3 { _ = try await layers.load("https://m.example.com/shop/x") }
            try await clock.step(by: .seconds(1))
            state = try #require(try store.originStates().last?.state)
            #expect(state.circuit == .closed)
            #expect(state.responseCount == 3)
            #expect(log.lines.last == "notice: https://m.example.com responds again")

            _ = try await layers.load("https://m.example.com/shop/x")
            try await clock.step(by: .seconds(1))
            #expect(try store.originStates().last?.state.responseCount == 3)
            try await clock.step(by: .seconds(30))
            #expect(try store.originStates().last?.state.responseCount == 4)
            _ = try await layers.load("https://m.example.com/shop/x")
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(try store.originStates().last?.state.recent == [0, 200, 200, 200, 200, 200])
            #expect(store.isBeingServed == false)
        }
    }

    @Test("metrics have each origin, the first 64 of more: those that are out")
    func metrics() {
        let states = (0..<70).map { number in
            var state = OriginState("https://\(number).example")
            if number == 69 { (state.circuit, state.failureCount) = (.open, 2) }
            if number == 68 { state.circuit = .halfOpen }
            return state
        }
        var page = MetricPage()
        NetworkGauge.write(states, to: &page)
        let lines = PrometheusText(page).text.split(separator: "\n")
        #expect(lines.contains(#"bundlectl_origin_out{origin="https://69.example"} 1"#))
        #expect(lines.contains(#"bundlectl_origin_out{origin="https://68.example"} 0.5"#))
        #expect(lines.contains(#"bundlectl_origin_failures_total{origin="https://69.example"} 2"#))
        #expect(lines.contains("bundlectl_origins 70"))
        #expect(lines.count { $0.hasPrefix("bundlectl_origin_out{") } == 64)
    }
}

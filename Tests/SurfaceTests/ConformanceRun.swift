import BundleTesting
import Testing

/// One way through the table, whose outcome is printed: a line for each row.
struct ConformanceRun {
    private let world: SurfaceWorld
    private let surface: any Surface
    private let kind: SurfaceKind

    init(_ world: SurfaceWorld, _ surface: any Surface, _ kind: SurfaceKind) {
        (self.world, self.surface, self.kind) = (world, surface, kind)
    }

    func run(_ row: ConformanceRow) async throws {
        switch row.step {
        case .request(let request, let expectation): await check(row, request, expectation)
        case .origin(isUp: true): try await world.origin.start()
        case .origin(isUp: false): await world.origin.stop()
        case .rules(let json): await setRules(json, row)
        case .update:
            try world.publish()
            try await surface.update()
        case .rollBack: try await surface.rollBack()
        }
    }

    func finish() async throws {
        try await surface.close()
        await world.origin.stop()
    }

    private func setRules(_ json: String, _ row: ConformanceRow) async {
        let difference = row.differences[kind]
        var problems: [String] = []
        do {
            try await surface.setRules(json)
            if difference != nil { problems = ["there are rules"] }
        } catch {
            if difference == nil { problems = ["\(error)"] }
        }
        report(row, problems)
    }

    private func check(_ row: ConformanceRow, _ request: SurfaceRequest, _ expectation: Expectation) async {
        let difference = row.differences[kind]
        let outcome: Result<SurfaceResponse, any Error>
        do { outcome = .success(try await surface.send(request)) } catch { outcome = .failure(error) }
        let problems: [String] =
            switch (outcome, difference) {
            case (.success(let response), nil): expectation.problems(with: response)
            case (.success(let response), let difference?):
                difference.expectation?.problems(with: response) ?? ["there is a response, \(response.status)"]
            case (.failure(let error), nil): ["\(error)"]
            case (.failure(let error), let difference?): difference.expectation == nil ? [] : ["\(error)"]
            }
        report(row, problems)
    }

    private func report(_ row: ConformanceRow, _ problems: [String]) {
        let remark = row.differences[kind].map { ", different: \($0.reason)" } ?? ""
        print("\(kind) | \(row.name) | \(problems.isEmpty ? "passed\(remark)" : "failed")")
        #expect(problems == [], "\(kind): \(row.name)")
    }
}

extension SurfaceKind {
    func open(_ world: SurfaceWorld) async throws -> any Surface {
        switch self {
        case .endpoint: try await EndpointSurface(world)
        case .library: try LibrarySurface(world)
        case .c: try CSurface(world)
        case .urlProtocol: try URLProtocolSurface(world)
        case .webView: try await WebViewSurface(world)
        }
    }
}

import BundleTesting
import Foundation
import Testing

/// The programs of others that fleets are watched by.
enum FleetTools {
    /// Whether a program is on the path: `scripts/bootstrap tests` installs those of Debian.
    static func has(_ program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// What `scripts/fetch-rotel` installs.
    static let rotel = Project.path(".build/rotel/rotel/rotel-agent")

    /// The folder of what packages have for those who watch fleets.
    static let folder = Project.path("scripts/packaging/fleet")

    /// The queries of the dashboard as Grafana sends them for all bundles.
    static func dashboardQueries() throws -> [String] {
        let data = try #require(FileManager.default.contents(atPath: folder + "/dashboard.json"))
        let dashboard = try JSONDecoder().decode(AnyJSON.self, from: data)
        return try #require(dashboard["panels"]?.array).flatMap { $0["targets"]?.array ?? [] }.compactMap { target in
            target["expr"]?.string?.replacing("$__rate_interval", with: "1m").replacing("$bundle", with: ".*")
        }
    }
}

/// A server with the query interface of Prometheus: that itself, or VictoriaMetrics.
struct QueryServer {
    let address: String

    /// The values of a query's result, which has to be a vector, by the labels that are asked for; empty while there is none.
    func values(_ query: String, by labels: String...) async throws -> [String: Double] {
        let response = try await Curl.get("\(address)/api/v1/query", "--data-urlencode", "query=\(query)")
        let result = try JSONDecoder().decode(AnyJSON.self, from: Data(response.body))
        guard result["status"]?.string == "success" else { throw Curl.Failure(message: "\(query): \(response.text)") }
        let pairs = (result["data"]?["result"]?.array ?? []).map { sample in
            let key = labels.map { sample["metric"]?[$0]?.string ?? "" }.joined(separator: " ")
            return (key, (sample["value"]?.array?.last?.string).flatMap(Double.init) ?? .nan)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The same as soon as there is a result.
    func awaitedValues(_ query: String, by label: String) async throws -> [String: Double] {
        var values: [String: Double] = [:]
        try await eventually(query, every: .milliseconds(200)) {
            values = try await self.values(query, by: label)
            return !values.isEmpty
        }
        return values
    }
}

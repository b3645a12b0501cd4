import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension LoadingFixture {
    /// Sets the network rules: the list of a rule file.
    func setRules(_ rules: String) throws {
        let path = "\(folder)/rules.json"
        try Data(#"{"rules": [\#(rules)]}"#.utf8).write(to: URL(fileURLWithPath: path))
        client.rules = try CommonRules.read(path).rules
    }

    /// Routes a path below the bundle's origin to a counter: the first response is “1”.
    func count(_ path: String, _ fields: HTTPFields) -> Monitor<Int> {
        let count = Monitor(0)
        origin.route("/shop/\(path)") { _ in
            let number = count.update { count in
                count += 1
                return count
            }
            return ScriptedResponse(fields: fields, body: Array("\(number)".utf8))
        }
        return count
    }

    /// Another client of the same store, as after a restart of the app.
    func restarted(transport: (any OriginTransport)?) async throws -> LoadingFixture {
        // What is written behind the responses.
        await client.store.flushCache()
        var configuration = BundleClient.Configuration()
        configuration.survivesFaults = false
        configuration.fetchLimits.fallbackTimeout = .seconds(60)
        let client = try BundleClient(at: "\(folder)/store", transport: transport, configuration: configuration)
        return LoadingFixture(client: client, origin: origin, folder: folder)
    }
}

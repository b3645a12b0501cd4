import BundleTesting
import Foundation

/// `bundlectl`, run beside a surface that is another process: it has to notice.
struct BundleVerb: Sendable {
    struct Failure: Error {
        let message: String
    }

    static let program = BuiltProducts.path(of: "bundlectl")

    let environment: [String: String]

    init(store: String) {
        environment = ProcessInfo.processInfo.environment.merging(["BUNDLECTL_STORE": store]) { $1 }
    }

    /// Runs a verb, and waits until the surface has another entry page.
    func change(_ verb: String, _ surface: some Surface, to title: String) async throws {
        let result = try await ChildProcess.run(Self.program, [verb, "shop"], environment: environment)
        guard result.exitCode == 0 else { throw Failure(message: result.errorOutput) }
        for _ in 0..<10_000 {
            let page = try await surface.send(ConformanceRequest("GET", "/", isPage: true))
            if String(decoding: page.body, as: UTF8.self).contains(title) { return }
        }
        throw Failure(message: "“\(verb)” hasn't been noticed")
    }
}

import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Repairing from the origins")
struct OriginRepairSourceTests {
    private static let origins =
        #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}, {"url": "https://cdn.example.com/", "path": "/assets/"}]"#
    private static let files = ["index.html": "a page", "assets/größe 1.js": "let a = 1", "assets/b.js": "let b = 2"]
    private static let script = "gr%C3%B6%C3%9Fe%201.js"

    /// Passes a network to `body`, and repairs what it has prepared.
    private func repair(
        damaging texts: [String],
        manifest: String = origins,
        offering prepare: (ScriptedTransport) -> Void
    ) async throws -> (report: RepairReport, network: ScriptedTransport, failure: BundleError?) {
        try await withTemporaryDirectory { directory in
            try BundleStore(at: directory.path(of: "store"), creating: true)
                .install(try BundleManifest.sample("shop", "1.0.0", manifest), files: Self.files)
            for text in texts { try SegmentDamage.flip(text, inStore: directory.path(of: "store")) }
            let network = ScriptedTransport()
            prepare(network)
            let repair = try BundleStore(at: directory.path(of: "store")).beginRepair()
            var failure: BundleError?
            do {
                try await OriginRepairSource(network).supply(repair)
            } catch let error as BundleError {
                failure = error
            }
            let report = try repair.commit(waits: false)
            #expect(try BundleStore(at: directory.path(of: "store")).verify() == report.damage)
            return (report, network, failure)
        }
    }

    private func lines(_ report: RepairReport) -> [String] {
        report.repaired.map { "\($0.path ?? "-") \($0.source ?? "-")" }
    }

    @Test("requests a damaged file from the URLs that it serves, and nothing else")
    func found() async throws {
        let (report, network, failure) = try await repair(damaging: ["a page", "let a"]) { network in
            network.response("https://m.example.com/shop/index.html", file: Array("a page".utf8))
            network.response("https://cdn.example.com/\(Self.script)", file: Array("let a = 1".utf8))
            network.response("https://m.example.com/shop/assets/\(Self.script)", .notFound, [:], "")
        }
        #expect(
            lines(report) == [
                "assets/größe 1.js https://cdn.example.com/\(Self.script)",
                "index.html https://m.example.com/shop/index.html",
            ]
        )
        #expect(report.damage == [])
        #expect(failure == nil)
        #expect(network.requests.count == 3)
        #expect(network.requests.allSatisfy { $0.method == .get && $0.headerFields[.acceptEncoding] == "identity" })
    }

    @Test("uses nothing with another digest", arguments: ["a pagf", "", "a page and more", "a pag"])
    func wrong(_ text: String) async throws {
        let (report, _, failure) = try await repair(damaging: ["a page"]) { network in
            network.response("https://m.example.com/shop/index.html", .ok, [:], text)
        }
        #expect(report.repaired.isEmpty)
        #expect(report.damage.map(\.path) == ["index.html"])
        #expect(failure == nil)
    }

    @Test(
        "uses only responses with status 200",
        arguments: [HTTPResponse.Status.notFound, .internalServerError]
    )
    func status(_ status: HTTPResponse.Status) async throws {
        let (report, _, _) = try await repair(damaging: ["a page"]) { network in
            network.response("https://m.example.com/shop/index.html", status, [:], "a page")
        }
        #expect(report.damage.map(\.path) == ["index.html"])
    }

    @Test("follows a redirect")
    func redirect() async throws {
        let (report, _, _) = try await repair(damaging: ["a page"]) { network in
            let location = "https://m.example.com/elsewhere"
            network.response("https://m.example.com/shop/index.html", .found, [.location: location], "")
            network.response(location, file: Array("a page".utf8))
        }
        #expect(report.damage == [])
    }

    @Test("asks an origin that doesn't respond only once, still asks the others, and reports it")
    func down() async throws {
        let (report, network, failure) = try await repair(damaging: ["a page", "let a", "let b"]) { network in
            network.response("https://cdn.example.com/\(Self.script)", file: Array("let a = 1".utf8))
            network.response("https://cdn.example.com/b.js", .notFound, [:], "")
        }
        #expect(lines(report) == ["assets/größe 1.js https://cdn.example.com/\(Self.script)"])
        #expect(report.damage.map(\.path) == ["assets/b.js", "index.html"])
        #expect(failure?.code == .networkUnavailable)
        #expect(network.requests.filter { $0.authority == "m.example.com" }.count == 1)
    }

    @Test("a connection that breaks doesn't affect later requests")
    func broken() async throws {
        let (report, _, failure) = try await repair(damaging: ["let a", "let b"]) { network in
            network.response("https://m.example.com/shop/assets/b.js") { _ in
                OriginResponse(
                    head: HTTPResponse(status: .ok),
                    body: BodyStream(
                        AsyncThrowingStream { continuation in
                            continuation.yield(Array("let".utf8))
                            continuation.finish(throwing: BundleError(.networkUnavailable, "reset"))
                        }
                    )
                )
            }
            network.response("https://cdn.example.com/b.js", file: Array("let b = 2".utf8))
            network.response("https://cdn.example.com/\(Self.script)", file: Array("let a = 1".utf8))
        }
        #expect(report.repaired.count == 2)
        #expect(report.damage == [])
        #expect(failure?.message == "reset")
    }

    @Test("a bundle without origins causes no requests")
    func noOrigins() async throws {
        let (report, network, failure) = try await repair(damaging: ["a page"], manifest: #""origins": []"#) { _ in }
        #expect(report.damage.count == 1)
        #expect(network.requests.isEmpty)
        #expect(failure == nil)
    }
}

import Testing

@testable import BundleModel

@Suite("Fields that apply to a whole origin")
struct OriginWideFieldTests {
    static let names = [
        "Service-Worker-Allowed", "Clear-Site-Data", "Alt-Svc", "NEL", "Report-To", "Strict-Transport-Security",
        "Public-Key-Pins",
        "Expect-CT", "Set-Cookie", "set-cookie2", "SERVICE-WORKER-ALLOWED",
    ]

    @Test("in a manifest are reported when it is read, and never sent", arguments: names)
    func manifest(_ name: String) throws {
        let parsed = try Self.parse(name)
        #expect(parsed.warnings.count == 1)
        #expect(parsed.warnings.first?.contains(name) == true, "\(parsed.warnings)")
        #expect(parsed.manifest.headerFields(for: try BundlePath("sw.js")).map(\.name) == ["X-Kept"])
    }

    @Test("are kept in the manifest, so that a reinstalled archive is the same release", arguments: names)
    func kept(_ name: String) throws {
        let manifest = try Self.parse(name).manifest
        #expect(try BundleManifest.parse(manifest.encoded()).manifest == manifest)
        #expect(String(decoding: manifest.encoded(), as: UTF8.self).contains(name))
    }

    @Test(
        "aren't those that apply to one response",
        arguments: ["Reporting-Endpoints", "Content-Security-Policy", "Link"]
    )
    func others(_ name: String) throws {
        let parsed = try Self.parse(name)
        #expect(parsed.warnings == [])
        #expect(parsed.manifest.headerFields(for: try BundlePath("sw.js")).map(\.name).contains(name))
    }

    private static func parse(_ name: String) throws -> ParsedManifest {
        let json =
            #"{"name": "a", "version": "1", "origins": [], "headers": {"/**": {"\#(name)": "x", "X-Kept": "y"}}}"#
        return try BundleManifest.parse(Array(json.utf8))
    }
}

import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Which requests get a stored response again without a look-up")
struct VariantReuseTests {
    @Test(
        "those with the same values of what selects it, besides the deciding fields that every response is kept by",
        arguments: [
            (nil, []), ("Accept", []), ("User-Agent", [.userAgent]), ("X-B, accept, X-A", [.a, .b]),
            // Only this server's cookies are in the key of a ready response.
            ("Cookie", [.cookie]),
            // The page tells which origin is named in place of this server's.
            ("Origin", [.referer]),
            // They never reach an origin.
            ("Range, If-None-Match", []),
        ] as [(String?, [HTTPField.Name])]
    )
    func selectors(_ vary: String?, _ expected: [HTTPField.Name]) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, isShared: false)
            fixture.publish("x.js", "x", fields(vary))
            let values: HTTPFields = [.userAgent: "a", .cookie: "a=b", .accept: "text/plain"]
            _ = try await fixture.get("x.js", values)
            #expect(fixture.begin("x.js", values)?.selectors == expected)
        }
    }

    @Test("the fields by which another response to the URL is selected count too")
    func otherVariants() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x.js", "1", fields("X-A"))
            _ = try await fixture.get("x.js", [.a: "1", .b: "1"])
            fixture.publish("x.js", "2", fields("X-B"))
            _ = try await fixture.get("x.js", [.a: "2", .b: "2"])
            #expect(fixture.begin("x.js", [.a: "1", .b: "3"])?.selectors == [.a, .b])
        }
    }

    private func fields(_ vary: String?) -> HTTPFields {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        fields[.vary] = vary
        return fields
    }
}

extension FallbackFixture {
    /// The reuse of the response to a request; nil when that has to be awaited.
    fileprivate func begin(_ path: String, _ fields: HTTPFields) -> ResponseStart.Reuse? {
        let request = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: "m.example.com",
            path: "/shop/\(path)",
            headerFields: fields
        )
        guard case .complete(_, _, let reuse) = responder.begin(request) else { return nil }
        return reuse
    }
}

extension HTTPField.Name {
    fileprivate static let a = HTTPField.Name("X-A")!
    fileprivate static let b = HTTPField.Name("X-B")!
}

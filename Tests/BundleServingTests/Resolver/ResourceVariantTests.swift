import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Coded forms of bundled files")
struct ResourceVariantTests {
    /// Has every coding of every file, and records the requests.
    private struct Everything: VariantProvider {
        let generation: Int64 = 0

        func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant] {
            [.gzip, .brotli].map { coding in
                ContentVariant(VariantKey(asset.digest, coding), ByteSlice(copying: Array(coding.token.utf8)))
            }
        }

        func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)? {
            nil
        }
    }

    /// Has a delta for every dictionary.
    private struct Differences: VariantProvider {
        let generation: Int64 = 0

        func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant] {
            guard let dictionary = preferences.dictionary else { return [] }
            return [ContentVariant(VariantKey(asset.digest, from: dictionary), ByteSlice(copying: [1]))]
        }

        func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)? {
            nil
        }
    }

    @Test(
        "only a name with a hash gets a delta, whose Vary names the dictionary (RFC 9842 §6.2)",
        arguments: [("app.7b2e8d90.js", true), ("app.js", false)]
    )
    func difference(_ path: String, _ takesPart: Bool) async throws {
        let fields = try await fields(
            of: path,
            in: [path: Self.long],
            requestFields: [.acceptEncoding: "dcz", .availableDictionary: ":\(String(repeating: "A", count: 43))=:"],
            variants: Differences()
        )
        #expect(fields[.contentEncoding] == (takesPart ? "dcz" : nil))
        #expect(fields[.vary]?.lowercased().contains("available-dictionary") == takesPart)
    }

    private static let long = String(repeating: "long enough ", count: 100)

    private func fields(
        of path: String,
        in files: [String: String],
        members: String = "",
        isNavigation: Bool = false,
        requestFields: HTTPFields = [.acceptEncoding: "br"],
        variants: (any VariantProvider)? = Everything()
    ) async throws -> HTTPFields {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            let manifest = try BundleManifest.sample("shop", "1.0.0", #""origins": []"# + members)
            try store.install(
                manifest,
                files: files,
                mediaType: { MediaType.detect($0, $1, overrides: manifest.mediaTypes).string }
            )
            let target = try #require(RequestTarget("/shop/\(path)", host: nil))
            let match = ResourceResolver(store.snapshot).match(target, isNavigation: isNavigation)
            guard case .found(let resource) = match?.outcome else {
                Issue.record("nothing at \(path)")
                return [:]
            }
            let request = HTTPRequest(
                method: .get,
                scheme: nil,
                authority: nil,
                path: "/shop/\(path)",
                headerFields: requestFields
            )
            let preferences = CodingPreferences(request.headerFields)
            let representation = resource.representation(variants: variants, for: preferences)
            return Responder.respond(to: request, with: representation).head.headerFields
        }
    }

    @Test(
        "are sent for files that become smaller",
        arguments: [
            ("app.js", long, true), ("index.html", long, true), ("font.ttf", long, true), ("image.svg", long, true),
            ("image.png", long, false), ("font.woff2", long, false), ("archive.zip", long, false),
            ("short.js", "run()", false),
        ]
    )
    func types(_ path: String, _ text: String, _ isCoded: Bool) async throws {
        let fields = try await fields(of: path, in: [path: text])
        #expect(fields[.contentEncoding] == (isCoded ? "br" : nil))
        #expect(fields[.vary] == (isCoded ? "Accept-Encoding" : nil))
        #expect(fields[.contentType]?.isEmpty == false)
    }

    @Test("are sent for any type if the publisher provides one")
    func sibling() async throws {
        let files = [
            "data.bin": Self.long, "data.bin.br": "x", "odd.bin": "x", "odd.bin.gz": Self.long, "only.js.gz": "x",
        ]
        #expect(try await fields(of: "data.bin", in: files)[.vary] == "Accept-Encoding")
        #expect(try await fields(of: "odd.bin", in: files)[.vary] == nil)
        let own = try await fields(of: "data.bin.br", in: files)
        #expect(own[.contentType] == "application/octet-stream")
        #expect(own[.contentEncoding] == nil)
        let alone = try await fields(of: "only.js.gz", in: files)
        #expect(alone[.contentType] == "application/gzip")
        #expect(alone[.contentEncoding] == nil)
    }

    @Test("are not sent when the manifest requires the file to be left as it is (RFC 9111 §5.2.2.6)")
    func noTransform() async throws {
        let members = #", "headers": {"/**": {"Cache-Control": "max-age=60, No-Transform"}}"#
        let fields = try await fields(of: "app.js", in: ["app.js": Self.long], members: members)
        #expect(fields[.eTag]?.contains("-br") == false)
        #expect(fields[.vary] == nil)
    }

    @Test("are not sent, and nothing varies, without a provider")
    func noProvider() async throws {
        let fields = try await fields(of: "app.js", in: ["app.js": Self.long], variants: nil)
        #expect(fields[.contentEncoding] == nil)
        #expect(fields[.vary] == nil)
        #expect(fields[.useAsDictionary] == nil)
    }

    @Test(
        "may be dictionaries for later versions when their names have a hash (RFC 9842 §2.1)",
        arguments: [
            ("assets/app.4f3a9c21.js", "match=\"app.*.js\""), ("index-BxZ9dK2f.js", "match=\"index-*.js\""),
            ("a.4f3a9c21.b.0c97be41.js", "match=\"a.4f3a9c21.b.*.js\""),
            // At a name's beginning, without others like it, it may be an identifier.
            ("4f3a9c21d0.css", nil),
            // A name that stays is revalidated each time: no browser keeps it as a dictionary.
            ("app.js", nil), ("page.4f3a9c21.html", nil), ("image.4f3a9c21.png", nil),
            // Names with characters that have a meaning in URL patterns.
            ("(app).4f3a9c21.js", nil), ("größe.4f3a9c21.js", nil),
        ] as [(String, String?)]
    )
    func dictionaries(_ path: String, _ expected: String?) async throws {
        let encoded = path.replacing("größe", with: "gr%C3%B6%C3%9Fe")
        let fields = try await fields(of: encoded, in: [path: Self.long])
        #expect(fields[.useAsDictionary] == expected)
        if expected != nil { #expect(fields[.vary] == "Accept-Encoding, Available-Dictionary") }
    }
}

import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("The representations of bundled files")
struct ResourceRepresentationTests {
    private func representations(
        members: String = "",
        files: [String],
        of paths: [String],
        isNavigation: Bool = false
    ) async throws -> [Representation] {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(members: members, files: files)
            let resolver = fixture.resolver()
            return try paths.map { path in
                let target = try #require(RequestTarget("/shop/\(path)", host: nil))
                guard case .found(let resource) = resolver.match(target, isNavigation: isNavigation)?.outcome else {
                    throw BundleError(.invalidArgument, "\(path) isn't found")
                }
                return resource.representation
            }
        }
    }

    @Test("pages are revalidated every time, fingerprinted files never")
    func caching() async throws {
        let table = [
            ("", "no-cache"), ("index.html", "no-cache"), ("app.js", "no-cache"),
            ("app.4f3a9c21.js", "max-age=31536000, immutable"),
            ("assets/index-BxZ9dK2f.js", "max-age=31536000, immutable"),
            ("page.4f3a9c21.html", "no-cache"), ("lib-4f3a9c21.d/app.js", "no-cache"),
            ("lib.4f3a9c21.d/LICENSE", "no-cache"),
        ]
        let files = ["index.html"] + table.map(\.0).filter { !$0.isEmpty && $0 != "index.html" }
        let representations = try await representations(files: files, of: table.map(\.0))
        for (row, representation) in zip(table, representations) {
            #expect(representation.fields[.cacheControl] == row.1, "\(row.0)")
        }
    }

    @Test("a fallback page is never immutable, because it is served under other names")
    func fallbackCaching() async throws {
        let page = try await representations(
            members: #""fallback": {"file": "app.4f3a9c21.xml"}, "mediaTypes": {"xml": "application/xml"}"#,
            files: ["app.4f3a9c21.xml"],
            of: ["route"],
            isNavigation: true
        )
        #expect(page.first?.fields[.cacheControl] == "no-cache")
    }

    @Test("the tag is the content's digest, the date is that of the activation")
    func validators() async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            for version in ["1.0.0", "1.1.0"] {
                try store.install(try BundleManifest.sample("shop", version), files: ["a.js": "let a"])
                clock.advance(by: .seconds(60))
            }
            let url = "https://m.example.com/shop/a.js"
            let before = try #require(ResourceResolver(store.snapshot).resolve(url)?.representation)
            try store.rollBack(BundleName("shop"))
            let after = try #require(ResourceResolver(store.snapshot).resolve(url)?.representation)
            #expect(before.entityTag == EntityTag(digest: Digest(of: Array("let a".utf8))))
            #expect(before.entityTag?.isWeak == false)
            #expect(after.entityTag == before.entityTag)
            #expect(try #require(after.lastModified) > #require(before.lastModified))
        }
    }

    @Test("the manifest's fields override the caching fields, but not those of the content or its transfer")
    func manifestFields() async throws {
        let representations = try await representations(
            members: """
                "headers": {"/**": {"X-A": "all", "X-B": "all"}, "/x/*.js": {"X-B": "some", "Cache-Control": "max-age=5",
                "Cross-Origin-Opener-Policy": "same-origin"}}
                """,
            files: ["x/a.js", "b.js"],
            of: ["x/a.js", "b.js"]
        )
        #expect(representations[0].fields[.cacheControl] == "max-age=5")
        let names = ["X-A", "X-B", "Cross-Origin-Opener-Policy"].compactMap { HTTPField.Name($0) }
        #expect(names.map { representations[0].fields[$0] } == ["all", "some", "same-origin"])
        #expect(names.map { representations[1].fields[$0] } == ["all", "all", nil])
        #expect(representations[0].fields[.cacheStatus] == #"offline-bundles; hit; detail="active 1.0.0""#)
        #expect(representations[0].mediaType == "text/javascript; charset=utf-8")
    }

    @Test("the manifest's media types come first, then the extension's, then what the content looks like")
    func mediaTypes() async throws {
        let table = [
            ("a.js", "text/javascript; charset=utf-8"), ("a.JSON", "application/json"), ("a.foo", "application/x-foo"),
            ("b.FOO", "application/x-foo"), ("a.md", "text/plain"), ("LICENSE", "text/plain; charset=utf-8"),
            (".foo", "text/plain; charset=utf-8"), ("a.unknown", "text/plain; charset=utf-8"),
        ]
        let representations = try await representations(
            members: #""mediaTypes": {"foo": "application/x-foo", "md": "text/plain"}"#,
            files: table.map(\.0),
            of: table.map(\.0)
        )
        for (row, representation) in zip(table, representations) {
            #expect(representation.mediaType == row.1, "\(row.0)")
        }
    }
}

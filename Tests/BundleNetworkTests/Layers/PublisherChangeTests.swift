import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("The change of a bundle's publisher")
struct PublisherChangeTests {
    typealias Step = PublisherChange.Step

    private static let now = Date(timeIntervalSince1970: 1_000_000)
    private static let cookie = PublisherCookie(mark: "0123456789abcdef0123456789abcdef")
    private static let mark = "offline-bundles.+publisher=0123456789abcdef0123456789abcdef"
    private static let document: HTTPFields = [
        .secFetchMode: "navigate", .secFetchDest: "document", .secFetchSite: "none",
    ]
    private static let page = "//shop.localhost:8080/a/b?q=1&r"

    @Test("requires nothing of a browser that has been cleared, and removes the proof from the address")
    func cleared() throws {
        let proof = try Self.next()
        for fields in [Self.document, [.secFetchMode: "cors"], [.serviceWorker: "script"], [:]] {
            #expect(Self.step(Self.page, fields, cookie: "a=b; \(Self.mark)") == .pass)
        }
        for address in [proof, Self.page + "&offline-bundles.cleared=marked", Self.page + "&offline-bundles.cleared="] {
            #expect(Self.step(address, Self.document, cookie: Self.mark) == .leave(next: Self.page))
            #expect(Self.step(address, [.secFetchMode: "cors"], cookie: Self.mark) == .pass)
        }
    }

    @Test(
        "clears any other browser that opens a page, however often it tries",
        arguments: [
            nil, "a=b", "offline-bundles.+publisher=0123", "offline-bundles.+publisher=", "offline-bundles.shop=1",
            "offline-bundles.+publisher=x; " + mark,
        ]
    )
    func other(_ cookie: String?) throws {
        for suffix in ["", "&offline-bundles.cleared=0123", "&offline-bundles.cleared="] {
            let address = Self.page + suffix
            let frame: HTTPFields = [.secFetchMode: "navigate", .secFetchDest: "iframe", .secFetchSite: "same-origin"]
            for fields in [Self.document, frame, [.accept: "text/html"], [.secFetchDest: "object"]] {
                guard case .clear(let next) = Self.step(address, fields, cookie: cookie) else {
                    Issue.record("\(fields) at \(address)")
                    continue
                }
                #expect(next == (try Self.next()))
                #expect(next.hasPrefix(Self.page + "&offline-bundles.cleared="))
            }
        }
    }

    @Test(
        "accepts the proof only from a page of the same origin, and for a limited time",
        arguments: [
            ("same-origin", 0, true), ("same-origin", 599, true), ("same-origin", 1_200, false),
            ("cross-site", 0, false),
            ("same-site", 0, false), ("none", 0, false), (nil, 0, false),
        ] as [(String?, Double, Bool)]
    )
    func proof(_ site: String?, _ delay: Double, _ isProof: Bool) throws {
        var fields = Self.document
        fields[.secFetchSite] = site
        let step = Self.step(try Self.next(), fields, now: Self.now + delay)
        switch step {
        case .mark(let next):
            #expect(isProof)
            #expect(next == Self.page + "&offline-bundles.cleared=marked")
            // A browser that accepts no cookies gets a page that clears.
            #expect(Self.step(next, fields) == .clearWithPage)
        case .clear, .clearWithPage: #expect(!isProof)
        default: Issue.record("\(step)")
        }
    }

    @Test("has a proof that is valid for one publisher only")
    func otherProof() throws {
        let other = PublisherCookie(mark: "ffffffffffffffffffffffffffffffff")
        var fields = Self.document
        fields[.secFetchSite] = "same-origin"
        let step = Self.step(try Self.next(), fields, of: other)
        guard case .clear = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test(
        "passes no cookies for other requests, refuses pages of the earlier publisher, and removes its workers",
        arguments: [
            ([.secFetchMode: "cors"], nil, .withoutCookies), ([:], "a=b", .withoutCookies),
            ([.secFetchDest: "script"], "a=b; offline-bundles.shop=1", .refuse),
            ([:], "offline-bundles.shop=", .refuse),
            ([:], "offline-bundles.shopping=1", .withoutCookies), ([.serviceWorker: "script"], nil, .retireWorker),
            ([.serviceWorker: "script"], "offline-bundles.shop=1", .retireWorker),
        ] as [(HTTPFields, String?, Step)]
    )
    func parts(_ fields: HTTPFields, _ cookie: String?, _ step: Step) {
        #expect(Self.step(Self.page, fields, cookie: cookie) == step)
    }

    @Test(
        "keeps the query of an address as it was",
        arguments: ["", "?", "?a", "?a=b&c", "?offline-bundles.cleared=x&y"]
    )
    func query(_ query: String) throws {
        let address = "//shop.localhost/x" + query
        let next = try Self.next(of: address)
        #expect(next.hasPrefix(address + (query.isEmpty ? "?" : "&")))
        #expect(Self.step(next, Self.document, cookie: Self.mark) == .leave(next: address))
    }

    /// The address to which the page that clears leads.
    private static func next(of address: String = page) throws -> String {
        guard case .clear(let next) = step(address, document) else { throw UnexpectedStep() }
        return next
    }

    private struct UnexpectedStep: Error {}

    private static func step(
        _ address: String,
        _ fields: HTTPFields,
        cookie: String? = nil,
        of publisher: PublisherCookie = cookie,
        now: Date = now
    ) -> Step {
        var request = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: "shop.localhost",
            path: "/",
            headerFields: fields
        )
        request.headerFields[.cookie] = cookie
        return PublisherChange.step(for: request, at: address, of: "shop", publisher, now: now)
    }
}

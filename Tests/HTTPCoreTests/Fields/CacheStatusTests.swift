import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Cache-Status (RFC 9211)")
struct CacheStatusTests {
    @Test(
        "the field is written as a structured field",
        arguments: [
            (CacheStatus(.hit), "offline-bundles; hit"),
            (CacheStatus(.hit, timeToLive: 376), "offline-bundles; hit; ttl=376"),
            (CacheStatus(.hit, timeToLive: -412), "offline-bundles; hit; ttl=-412"),
            (CacheStatus(nil), "offline-bundles"),
            (CacheStatus(nil, detail: "offline"), #"offline-bundles; detail="offline""#),
            (CacheStatus(.forwarded(.uriMiss)), "offline-bundles; fwd=uri-miss"),
            (
                CacheStatus(.forwarded(.stale, status: 304, stored: true, collapsed: true), timeToLive: 0, key: "k"),
                #"offline-bundles; fwd=stale; fwd-status=304; ttl=0; stored; collapsed; key="k""#
            ),
            (CacheStatus(.forwarded(.miss, status: 200)), "offline-bundles; fwd=miss; fwd-status=200"),
            (CacheStatus(.hit, key: #"a"b\c"#), #"offline-bundles; hit; key="a\"b\\c""#),
            (CacheStatus(.hit, key: "ü\r\n\u{7F}"), #"offline-bundles; hit; key="%C3%BC%0D%0A%7F""#),
            (CacheStatus(.hit, detail: ""), #"offline-bundles; hit; detail="""#),
            (CacheStatus(.hit, timeToLive: .max), "offline-bundles; hit; ttl=999999999999999"),
            (CacheStatus(.hit, timeToLive: .min), "offline-bundles; hit; ttl=-999999999999999"),
        ]
    )
    func serialisation(status: CacheStatus, expected: String) {
        #expect(status.fieldValue == expected)
    }

    @Test("every reason is written as its token (§2.2)")
    func reasons() {
        let written = CacheStatus.ForwardReason.allCases.map { CacheStatus(.forwarded($0)).fieldValue }
        let tokens = ["bypass", "method", "uri-miss", "vary-miss", "miss", "request", "stale", "partial"]
        #expect(written == tokens.map { "offline-bundles; fwd=\($0)" })
    }
}

import BundleServing
import Testing

extension DriverConformanceTests {
    /// RFC 9110 §13, the order of §13.2.2 among it.
    @Suite("Conditions")
    struct Preconditions {
        static let ifMatchRows: [DriverRow] = [
            DriverRow("13.1.1, the tag", [("If-Match", "{tag}")], 200),
            DriverRow("13.1.1, another tag", [("If-Match", "\"other\"")], 412),
            DriverRow("13.1.1, HEAD", "HEAD", [("If-Match", "\"other\"")], 412),
            DriverRow("13.1.1, anything", [("If-Match", "*")], 200),
            DriverRow("13.1.1, a list", [("If-Match", "\"other\", {tag}")], 200),
            DriverRow("13.1.1, strong comparison", [("If-Match", "W/{tag}")], 412),
            DriverRow("13.1.1, two lines", [("If-Match", "\"other\""), ("If-Match", "{tag}")], 200),
            DriverRow("13.1.4, the date", [("If-Unmodified-Since", "{modified}")], 200),
            DriverRow("13.1.4, a later date", [("If-Unmodified-Since", "{later}")], 200),
            DriverRow("13.1.4, an earlier date", [("If-Unmodified-Since", "{earlier}")], 412),
            DriverRow("13.1.4, HEAD", "HEAD", [("If-Unmodified-Since", "{earlier}")], 412),
            DriverRow("13.1.4, no date", [("If-Unmodified-Since", "yesterday")], 200),
            DriverRow("13.1.4, a list of dates", [("If-Unmodified-Since", "{earlier}, {earlier}")], 200),
        ]

        static let ifNoneMatchRows: [DriverRow] = [
            DriverRow("13.1.2, the tag", [("If-None-Match", "{tag}")], 304),
            DriverRow("13.1.2, HEAD", "HEAD", [("If-None-Match", "{tag}")], 304),
            DriverRow("13.1.2, weak comparison", [("If-None-Match", "W/{tag}")], 304),
            DriverRow("13.1.2, a list", [("If-None-Match", "\"other\" ,, {tag}")], 304),
            DriverRow("13.1.2, two lines", [("If-None-Match", "{tag}"), ("If-None-Match", "\"other\"")], 304),
            DriverRow("13.1.2, anything", [("If-None-Match", "*")], 304),
            DriverRow("13.1.2, another tag", [("If-None-Match", "\"other\"")], 200),
            DriverRow("13.1.2, no tag", [("If-None-Match", "other")], 200),
            DriverRow("13.1.2, nothing", [("If-None-Match", "")], 200),
            DriverRow("13.1.3, the date", [("If-Modified-Since", "{modified}")], 304),
            DriverRow("13.1.3, HEAD", "HEAD", [("If-Modified-Since", "{modified}")], 304),
            DriverRow("13.1.3, a later date", [("If-Modified-Since", "{later}")], 304),
            DriverRow("13.1.3, an earlier date", [("If-Modified-Since", "{earlier}")], 200),
            DriverRow("13.1.3, no date", [("If-Modified-Since", "{modified} +0000")], 200),
            DriverRow("5.6.7, RFC 850", [("If-Modified-Since", "{modified-850}")], 304),
            DriverRow("5.6.7, asctime", [("If-Modified-Since", "{modified-asctime}")], 304),
        ]

        static let orderRows: [DriverRow] = [
            DriverRow("13.2.2 step 1", [("If-Match", "{tag}"), ("If-Unmodified-Since", "{earlier}")], 200),
            DriverRow("13.2.2 step 1", [("If-Match", "\"other\""), ("If-Unmodified-Since", "{later}")], 412),
            DriverRow("13.2.2 steps 1, 3", [("If-Match", "{tag}"), ("If-None-Match", "{tag}")], 304),
            DriverRow("13.2.2 steps 1, 3", [("If-Match", "\"other\""), ("If-None-Match", "{tag}")], 412),
            DriverRow("13.2.2 steps 1, 4", [("If-Match", "{tag}"), ("If-Modified-Since", "{modified}")], 304),
            DriverRow(
                "13.2.2 steps 2, 3",
                [("If-Unmodified-Since", "{earlier}"), ("If-None-Match", "{tag}")],
                412
            ),
            DriverRow(
                "13.2.2 steps 2, 4",
                [("If-Unmodified-Since", "{modified}"), ("If-Modified-Since", "{modified}")],
                304
            ),
            DriverRow("13.2.2 step 3", [("If-None-Match", "\"other\""), ("If-Modified-Since", "{later}")], 200),
            DriverRow("13.2.2 step 3", [("If-None-Match", "{tag}"), ("If-Modified-Since", "{earlier}")], 304),
            DriverRow("13.2.2 step 3", [("If-None-Match", "{tag}"), ("Range", "bytes=0-1")], 304),
            DriverRow("13.2.2 step 4", [("If-Modified-Since", "{modified}"), ("Range", "bytes=0-1")], 304),
            DriverRow("13.2.2 step 1", [("If-Match", "\"other\""), ("Range", "bytes=99-")], 412),
            DriverRow("13.2.2 step 5", [("If-Match", "{tag}"), ("Range", "bytes=0-1")], 206),
            DriverRow("13.2.1, OPTIONS", "OPTIONS", [("If-Match", "\"other\"")], 204).from(.active),
            DriverRow("13.2.1, not 200", "GET", "/nowhere", [("If-Match", "\"other\"")], 404),
            DriverRow("13.2.1, not 200", "GET", "/shop/folder", [("If-None-Match", "*")], 301),
            DriverRow("13.2.1, another method", "PUT", "/alone/a", [("If-Match", "\"other\"")], 405).from(
                .server,
                "alone@1.0.0"
            ),
        ]

        static let ifRangeRows: [DriverRow] = [
            DriverRow("13.1.5, the tag", [("If-Range", "{tag}"), ("Range", "bytes=0-1")], 206),
            DriverRow("13.1.5, HEAD", "HEAD", [("If-Range", "{tag}"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, another tag", [("If-Range", "\"other\""), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, strong comparison", [("If-Range", "W/{tag}"), ("Range", "bytes=0-1")], 200),
            DriverRow(
                "13.1.5, the date, where there is a tag",
                [("If-Range", "{modified}"), ("Range", "bytes=0-1")],
                200
            ),
            DriverRow("5.6.7, RFC 850", [("If-Range", "{modified-850}"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, an earlier date", [("If-Range", "{earlier}"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, a later date", [("If-Range", "{later}"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, neither", [("If-Range", "x"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, a list", [("If-Range", "{tag}, {tag}"), ("Range", "bytes=0-1")], 200),
            DriverRow("13.1.5, without Range", [("If-Range", "\"other\"")], 200),
            DriverRow(
                "13.1.5, unsatisfiable but another",
                [("If-Range", "\"other\""), ("Range", "bytes=99-")],
                200
            ),
            DriverRow("13.1.5, unsatisfiable", [("If-Range", "{tag}"), ("Range", "bytes=99-")], 416),
        ]

        @Test("on being the same", arguments: ifMatchRows)
        func same(_ row: DriverRow) async throws { try await row.check() }

        @Test("on being another", arguments: ifNoneMatchRows)
        func another(_ row: DriverRow) async throws { try await row.check() }

        @Test("have their order", arguments: orderRows)
        func order(_ row: DriverRow) async throws { try await row.check() }

        @Test("on a part", arguments: ifRangeRows)
        func part(_ row: DriverRow) async throws { try await row.check() }
    }
}

import BundleServing
import BundleTesting
import Testing

extension DriverConformanceTests {
    /// RFC 9110 §14.
    @Suite("Ranges")
    struct Ranges {
        private static func part(_ section: String, _ range: String, _ contentRange: String, _ content: String)
            -> DriverRow
        {
            let fields: [String: String?] = [
                "content-range": "bytes \(contentRange)", "accept-ranges": "bytes", "etag": "{tag}",
            ]
            return DriverRow(section, [("Range", range)], 206, fields, content: content)
        }

        private static func whole(_ section: String, _ range: String) -> DriverRow {
            let fields: [String: String?] = ["content-range": nil, "accept-ranges": "bytes"]
            return DriverRow(section, [("Range", range)], 200, fields, content: "0123456789")
        }

        private static func none(_ section: String, _ range: String) -> DriverRow {
            DriverRow(section, [("Range", range)], 416, ["content-range": "bytes */10", "accept-ranges": "bytes"])
        }

        static let rows: [DriverRow] = [
            part("14.1.2, from and through", "bytes=2-4", "2-4/10", "234"),
            part("14.1.2, one byte", "bytes=0-0", "0-0/10", "0"),
            part("14.1.2, open", "bytes=5-", "5-9/10", "56789"),
            part("14.1.2, the last", "bytes=-3", "7-9/10", "789"),
            part("14.1.2, more than there is", "bytes=-20", "0-9/10", "0123456789"),
            part("14.1.2, through more than there is", "bytes=8-99", "8-9/10", "89"),
            part("14.1.2, through more than any", "bytes=8-99999999999999999999999", "8-9/10", "89"),
            part("14.1.2, the last of more than any", "bytes=-99999999999999999999999", "0-9/10", "0123456789"),
            part("14.1, the unit in any case", "BYTES=0-1", "0-1/10", "01"),
            part("14.1.1, white space and empty members", "bytes= , 0-1 ,", "0-1/10", "01"),
            part("15.3.7.2, overlapping", "bytes=0-4,2-6", "0-6/10", "0123456"),
            part("15.3.7.2, touching, the later first", "bytes=5-6,0-4", "0-6/10", "0123456"),
            part("14.2, one that can't be had", "bytes=0-1,20-30", "0-1/10", "01"),
            whole("14.2, another unit", "items=0-1"),
            whole("14.1.1, the last before the first", "bytes=4-2"),
            whole("14.1.1, one of them so", "bytes=0-1,4-2"),
            whole("14.1.1, nothing", "bytes="),
            whole("14.1.1, no numbers", "bytes=a-b"),
            whole("14.1.1, no dash", "bytes=1"),
            whole("14.1.1, a sign", "bytes=+1-2"),
            none("15.5.17, behind the end", "bytes=10-"),
            none("15.5.17, more than any", "bytes=99999999999999999999-"),
            none("15.5.17, the last none", "bytes=-0"),
            none("15.5.17, several", "bytes=20-30,40-"),
            DriverRow(
                "14.2, on HEAD",
                "HEAD",
                [("Range", "bytes=0-1")],
                200,
                ["content-length": "10", "content-range": nil]
            ),
            DriverRow(
                "14.2, unsatisfiable on HEAD",
                "HEAD",
                [("Range", "bytes=99-")],
                200,
                ["content-range": nil]
            ),
            DriverRow("14.2, on OPTIONS", "OPTIONS", [("Range", "bytes=0-1")], 204, ["content-range": nil])
                .from(.active),
            DriverRow(
                "14.6, several",
                [("Range", "bytes=0-1,4-5")],
                206,
                ["content-range": nil, "etag": "{tag}"]
            ),
            DriverRow("14.6, several on HEAD", "HEAD", [("Range", "bytes=0-1,4-5")], 200),
            DriverRow(
                "14.2, a query",
                "GET",
                "/shop/digits.bin?a",
                [("Range", "bytes=1-")],
                206,
                content: "123456789"
            ),
            DriverRow("14.2, a page", "GET", "/shop/", [("Range", "bytes=1-")], 206, content: "p>shop"),
            DriverRow(
                "5.3, two lines",
                [("Range", "bytes=0-1"), ("Range", "bytes=4-5")],
                200,
                ["content-range": nil]
            ),
            DriverRow(
                "14.2, of what could be coded",
                "GET",
                "/shop/app.js",
                [("Range", "bytes=0-7"), ("Accept-Encoding", "br")],
                206,
                ["content-encoding": nil, "content-range": "bytes 0-7/1800", "vary": "Accept-Encoding"],
                content: "function"
            ),
            DriverRow(
                "14.2, more than is good",
                "GET",
                "/shop/app.js",
                [("Range", "bytes=" + (0..<17).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","))],
                200,
                content: ConformanceServers.script
            ),
        ]

        @Test("are sent as they are asked for, or all", arguments: rows)
        func ranges(_ row: DriverRow) async throws { try await row.check() }

        @Test("become parts of one content (RFC 9110 §14.6)")
        func parts() async throws {
            let servers = try #require(ConformanceServers.current)
            let request = ConformanceRequest("GET", "/shop/digits.bin", [("Range", "bytes=8-9, 0-1, 4-")])
            for server in servers.all {
                for response in try await server.exchanges(of: request, count: 2).map(\.response) {
                    #expect(response.status == 206)
                    #expect(response["content-range"] == nil)
                    let type = try #require(response["content-type"])
                    let boundary = try #require(type.split(separator: "boundary=").last)
                    #expect(type == "multipart/byteranges; boundary=\(boundary)")
                    let parts = [("0-1", "01"), ("4-9", "456789")].map { range, content in
                        "Content-Type: application/octet-stream\r\nContent-Range: bytes \(range)/10\r\n\r\n\(content)\r\n"
                    }
                    let expected = "--\(boundary)\r\n\(parts[1])--\(boundary)\r\n\(parts[0])--\(boundary)--\r\n"
                    #expect(response.text == expected)
                    #expect(response["content-length"] == String(expected.utf8.count))
                }
            }
        }
    }
}

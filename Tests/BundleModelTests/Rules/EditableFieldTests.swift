import Testing

@testable import BundleModel

@Suite("Fields that network rules may change")
struct EditableFieldTests {
    @Test(
        "aren't those of the connection, of the message's framing, or of the host",
        arguments: [
            "Connection", "keep-alive", "TE", "Trailer", "Transfer-Encoding", "transfer_encoding", "Upgrade",
            "Proxy-Authorization", "Proxy-Connection", "Content-Length", "CONTENT_LENGTH", "Content-Encoding",
            "Content-Range", "Content-Type", "Date",
        ]
    )
    func framing(_ name: String) {
        #expect(EditableField.permission(for: name, in: .request) == .nothing)
        #expect(EditableField.permission(for: name, in: .response) == .nothing)
    }

    @Test(
        "of a request aren't those that the cache, the connection or the browser decides",
        arguments: [
            "Host", "Expect", "Via", "Range", "If-None-Match", "If-Range", "Accept-Encoding", "Available-Dictionary",
            "Origin",
            "Sec-Fetch-Site", "Sec-WebSocket-Key", "Access-Control-Request-Method",
        ]
    )
    func request(_ name: String) {
        #expect(EditableField.permission(for: name, in: .request) == .nothing)
    }

    @Test(
        "of a request may be credentials only to be removed",
        arguments: ["Cookie", "authorization", "Referer", "DNT"]
    )
    func credentials(_ name: String) {
        #expect(EditableField.permission(for: name, in: .request) == .removal)
    }

    @Test(
        "of a response aren't those that the server sets",
        arguments: ["ETag", "Vary", "Age", "Last-Modified", "Cache-Status", "Accept-Ranges", "X-Content-Type-Options"]
    )
    func response(_ name: String) {
        #expect(EditableField.permission(for: name, in: .response) == .nothing)
    }

    @Test(
        "of a response may be those that affect more than the bundle only to be removed",
        arguments: OriginWideFieldTests.names
    )
    func originWide(_ name: String) {
        #expect(EditableField.permission(for: name, in: .response) == .removal)
    }

    @Test(
        "may be any others",
        arguments: ["X-Key", "Accept", "Accept-Language", "User-Agent", "Cache-Control", "Pragma"]
    )
    func others(_ name: String) {
        #expect(EditableField.permission(for: name, in: .request) == .any)
        #expect(EditableField.permission(for: name, in: .response) == .any)
    }
}

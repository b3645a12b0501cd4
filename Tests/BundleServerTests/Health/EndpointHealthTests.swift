import BundleServing
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Endpoint health")
struct EndpointHealthTests {
    @Test("it is ready while it serves and the store can be read")
    func readiness() {
        let health = EndpointHealth()
        #expect(health.unreadiness == "The server is starting.")
        health.startServing()
        #expect(health.unreadiness == nil)
        health.noteStore(failure: "the disk is gone")
        #expect(health.unreadiness == "The store can't be read: the disk is gone")
        health.noteStore(failure: nil)
        #expect(health.unreadiness == nil)
        health.startDraining()
        #expect(health.unreadiness == "The server is shutting down.")
    }

    @Test("it is ready but degraded while another release replaces one that can't be opened")
    func degraded() throws {
        let health = EndpointHealth()
        health.startServing()
        health.note(degradations: ["shop 1.4.0 can't be opened, 1.3.0 is served"])
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/readyz")
        let response = try #require(health.response(to: request))
        #expect(response.head.status == .ok)
        #expect(response.body.array == Array("degraded: shop 1.4.0 can't be opened, 1.3.0 is served\n".utf8))
        health.note(degradations: [])
        #expect(health.response(to: request)?.body.array == Array("ok\n".utf8))
    }

    @Test(
        "probes are distinguished from other requests",
        arguments: [
            (.get, "/healthz", 200), (.head, "/healthz?x", 200), (.get, "/readyz", 503), (.post, "/healthz", nil),
            (.get, "/healthz/", nil), (.get, "/", nil), (.get, nil, nil),
        ] as [(HTTPRequest.Method, String?, Int?)]
    )
    func probes(_ method: HTTPRequest.Method, _ path: String?, _ status: Int?) {
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
        let response = EndpointHealth().response(to: request)
        #expect(response?.head.status.code == status)
        if let response {
            #expect(response.head.headerFields[.cacheControl] == "no-store")
            #expect((response.body.byteCount == 0) == (method == .head))
        }
    }
}

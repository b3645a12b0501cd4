import HTTPTypes
import NIOCore
import Testing

@testable import BundleServer

@Suite("ConnectionActivity")
struct ConnectionActivityTests {
    private static let head = ReceivedPart.head(
        HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"),
        MessageExchange(isHead: false, isHTTP11: true, closesConnection: false)
    )

    @Test("the client has to act before a request, inside one, and while it takes an answer")
    func waitingForClient() {
        var activity = ConnectionActivity()
        #expect(activity.waitsForClient)
        activity.read(Self.head)
        activity.read(.body(ByteBuffer(string: "a")))
        #expect(activity.waitsForClient)
        activity.read(.end)
        #expect(!activity.waitsForClient)
        activity.beginWrite()
        #expect(activity.waitsForClient)
        activity.endWrite(ofResponseEnd: false)
        #expect(!activity.waitsForClient)
        activity.beginWrite()
        activity.endWrite(ofResponseEnd: true)
        #expect(activity.waitsForClient)
    }

    @Test("a connection is drained when every request read so far has its whole answer")
    func draining() {
        var activity = ConnectionActivity()
        for _ in 0..<2 {
            activity.read(Self.head)
            activity.read(.end)
        }
        activity.isDraining = true
        #expect(!activity.isDrained)
        activity.beginWrite()
        activity.endWrite(ofResponseEnd: true)
        #expect(!activity.isDrained)
        activity.beginWrite()
        #expect(!activity.isDrained)
        activity.endWrite(ofResponseEnd: true)
        #expect(activity.isDrained)
    }

    @Test("an answer to what was no request leaves the count right")
    func refusal() {
        var activity = ConnectionActivity()
        activity.beginWrite()
        activity.endWrite(ofResponseEnd: true)
        activity.read(Self.head)
        activity.isDraining = true
        #expect(!activity.isDrained)
    }
}

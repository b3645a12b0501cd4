import Testing

@testable import BundleTesting

@Suite("PerformanceLog")
struct PerformanceLogTests {
    @Test("responses, redirects and failures become events in their order, and data: URLs don't")
    func events() {
        let events = PerformanceLog.networkEvents(
            in: [
                #"{"method":"Network.requestWillBeSent","params":{"requestId":"1","request":{"url":"http://a/old"}}}"#,
                #"{"method":"Network.requestWillBeSent","params":{"requestId":"1","request":{"url":"http://a/new"},"#
                    + #""redirectResponse":{"url":"http://a/old","status":302}}}"#,
                #"{"method":"Network.responseReceived","params":{"requestId":"1","#
                    + #""response":{"url":"http://a/new","status":200}}}"#,
                #"{"method":"Network.loadingFailed","params":{"requestId":"1","errorText":"net::ERR_FAILED"}}"#,
                #"{"method":"Network.responseReceived","params":{"requestId":"2","#
                    + #""response":{"url":"data:,x","status":200}}}"#,
                #"{"method":"Page.loadEventFired","params":{}}"#,
            ].map { ["message": .string(#"{"message":\#($0)}"#)] }
        )
        #expect(
            events == [
                NetworkEvent(url: "http://a/old", outcome: .status(302)),
                NetworkEvent(url: "http://a/new", outcome: .status(200)),
                NetworkEvent(url: "http://a/new", outcome: .failure("net::ERR_FAILED")),
            ]
        )
    }

    @Test("an entry that isn't DevTools' JSON is passed over", arguments: ["", "[]", "{", #"{"message":1}"#])
    func garbage(_ text: String) {
        #expect(PerformanceLog.networkEvents(in: [["message": .string(text)], .null]).isEmpty)
    }
}

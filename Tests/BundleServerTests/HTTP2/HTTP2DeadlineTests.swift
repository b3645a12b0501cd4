import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BundleServer

@Suite("What an HTTP/2 client may take its time for")
struct HTTP2DeadlineTests {
    private let limits: EndpointLimits = {
        var limits = EndpointLimits()
        (limits.idle, limits.headTime) = (.seconds(60), .seconds(20))
        (limits.bodyTime, limits.writeStall) = (.seconds(30), .seconds(40))
        return limits
    }()

    @Test("the next request, until the idle time is over; a PING changes nothing")
    func idle() throws {
        let scene = try Scene(limits)
        scene.pass(seconds: 5)
        try scene.receive(HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8)))
        #expect(scene.deadline(limits) == (60, .end(.noError)))
    }

    @Test("the rest of a head, counted from its beginning")
    func head() throws {
        let scene = try Scene(limits)
        scene.pass(seconds: 5)
        try scene.receive(HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block([(":method", "GET")])))
        scene.pass(seconds: 5)
        try scene.receive(HTTP2Frame(.continuation, stream: 1, HTTP2Frame.block([(":scheme", "http")])))
        #expect(scene.deadline(limits) == (25, .end(.enhanceYourCalm)))
    }

    @Test("taking an answer, counted from what it took last; not while the answer is being made")
    func answer() throws {
        let scene = try Scene(limits, window: 2)
        try scene.receive(.get("/", stream: 1))
        #expect(scene.session.deadline(limits) == nil)
        scene.pass(seconds: 5)
        try scene.respond(to: 1, "content")
        #expect(scene.deadline(limits) == (45, .close))
        scene.pass(seconds: 5)
        try scene.receive(.windowUpdate(1, stream: 1))
        #expect(scene.deadline(limits) == (50, .close))
        scene.pass(seconds: 5)
        try scene.receive(.windowUpdate(100, stream: 1))
        #expect(scene.deadline(limits) == (75, .end(.noError)))
    }

    @Test("the rest of a request that has its answer")
    func content() throws {
        let scene = try Scene(limits)
        try scene.receive(.headers(HTTP2Frame.request("POST", "/"), stream: 1, isEnd: false))
        scene.pass(seconds: 5)
        try scene.respond(to: 1, "no")
        #expect(scene.deadline(limits) == (30, .reset(1)))
        scene.session.abandon(1)
        #expect(scene.deadline(limits) == (65, .end(.noError)))
    }
}

/// A session, and a clock that stands still until a test moves it.
private final class Scene {
    private final class Clock: Sendable {
        let now = Mutex(NIODeadline.uptimeNanoseconds(0))
    }

    let session: HTTP2Session
    private let clock = Clock()

    init(_ limits: EndpointLimits, window: UInt32 = 65_535) throws {
        session = try HTTP2Session(HTTP2Limits(limits)) { [clock] in clock.now.withLock { $0 } }
        try receive(HTTP2Frame.preface + HTTP2Frame.settings([4: window]).bytes)
    }

    func pass(seconds: Int64) {
        clock.now.withLock { $0 = $0 + .seconds(seconds) }
    }

    func receive(_ frame: HTTP2Frame) throws {
        try receive(frame.bytes)
    }

    func respond(to id: HTTP2Session.StreamID, _ text: String) throws {
        let head = HTTP2ResponseHead(HTTPResponse(status: .ok))
        session.respond(to: id, head, date: [], body: .stored(AnswerChunks(AnswerBody(text))))
        try send()
    }

    /// The time in seconds, and what happens then.
    func deadline(_ limits: EndpointLimits) -> (Int64, HTTP2Deadline.Consequence)? {
        session.deadline(limits).map { (Int64($0.time.uptimeNanoseconds / 1_000_000_000), $0.consequence) }
    }

    private func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
        try send()
    }

    private func send() throws {
        while try session.nextOutput() != nil {}
    }
}

private func == (left: (Int64, HTTP2Deadline.Consequence)?, right: (Int64, HTTP2Deadline.Consequence)) -> Bool {
    left.map { $0 == right } ?? false
}

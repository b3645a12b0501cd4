import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import ServerCore

@Suite("The deadlines of an HTTP/2 client")
struct HTTP2DeadlineTests {
    private let limits: ServerLimits = {
        var limits = ServerLimits()
        (limits.idle, limits.headTime) = (.seconds(60), .seconds(20))
        (limits.bodyTime, limits.writeStall) = (.seconds(30), .seconds(40))
        return limits
    }()

    @Test("the next request, until the end of the idle time; a PING changes nothing")
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

    @Test("none for a malformed head, whose stream is closed")
    func malformedHead() throws {
        let scene = try Scene(limits)
        let request = HTTP2Frame.block(HTTP2Frame.request("GET", "/") + [("te", "gzip")])
        try scene.receive(HTTP2Frame(.headers, flags: 5, stream: 1, request))
        #expect(scene.deadline(limits) == (60, .end(.noError)))
        scene.pass(seconds: 5)
        try scene.receive(HTTP2Frame(.headers, flags: 1, stream: 3, request))
        #expect(scene.deadline(limits) == (60, .end(.noError)))
    }

    @Test("taking a response, counted from the last bytes taken; none while the response is awaited")
    func response() throws {
        let scene = try Scene(limits, window: 2)
        try scene.receive(.get("/", stream: 1))
        #expect(scene.deadline(limits) == nil)
        scene.pass(seconds: 5)
        try scene.respond(to: 1, "content")
        #expect(scene.deadline(limits) == (45, .reset(1, .cancel)))
        scene.pass(seconds: 5)
        try scene.receive(.windowUpdate(1, stream: 1))
        #expect(scene.deadline(limits) == (50, .reset(1, .cancel)))
        scene.pass(seconds: 5)
        try scene.receive(.windowUpdate(100, stream: 1))
        #expect(scene.deadline(limits) == (75, .end(.noError)))
    }

    @Test("a response whose window is closed isn't kept by other requests of the client")
    func closedWindow() throws {
        let scene = try Scene(limits, window: 0)
        try scene.receive(.get("/", stream: 1))
        try scene.respond(to: 1, "content")
        for stream: UInt32 in [3, 5, 7] {
            scene.pass(seconds: 10)
            try scene.receive(.get("/", stream: stream), .windowUpdate(7, stream: stream))
            try scene.respond(to: HTTP2Session.StreamID(stream), "content")
            #expect(scene.deadline(limits) == (40, .reset(1, .cancel)))
        }
        scene.session.reset(1, .cancel)
        #expect(scene.deadline(limits) == nil)
        try scene.send()
        #expect(scene.deadline(limits) == (90, .end(.noError)))
    }

    @Test("a response that waits for its turn is kept as long as the client takes content of others")
    func turns() throws {
        // The connection's window is one byte too small for the first response.
        let scene = try Scene(limits)
        for id: HTTP2Session.StreamID in [1, 3] {
            try scene.receive(.get("/", stream: UInt32(id)))
            try scene.respond(to: id, String(repeating: "a", count: id == 1 ? 65_536 : 1))
        }
        try scene.receive(.windowUpdate(1, stream: 1))
        scene.pass(seconds: 10)
        try scene.receive(.windowUpdate(1))
        #expect(scene.deadline(limits) == (50, .reset(3, .cancel)))
        scene.pass(seconds: 10)
        try scene.receive(.windowUpdate(1))
        #expect(scene.deadline(limits) == (80, .end(.noError)))
    }

    @Test("a connection that takes nothing at all ends, even while a response is awaited")
    func blocked() throws {
        let scene = try Scene(limits, window: 0)
        scene.pass(seconds: 5)
        try scene.receive(.get("/", stream: 1))
        let blockedSince = NIODeadline.uptimeNanoseconds(7_000_000_000)
        #expect(scene.deadline(limits, blockedSince: blockedSince) == (47, .close))
        try scene.respond(to: 1, "content")
        #expect(scene.deadline(limits, blockedSince: blockedSince) == (47, .close))
    }

    @Test("the rest of a request that has its response")
    func content() throws {
        let scene = try Scene(limits)
        try scene.receive(.headers(HTTP2Frame.request("POST", "/"), stream: 1, isEnd: false))
        scene.pass(seconds: 5)
        try scene.respond(to: 1, "no")
        #expect(scene.deadline(limits) == (30, .reset(1, .noError)))
        scene.session.reset(1, .noError)
        try scene.send()
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

    init(_ limits: ServerLimits, window: UInt32 = 65_535) throws {
        session = try HTTP2Session(HTTP2Limits(limits)) { [clock] in clock.now.withLock { $0 } }
        try receive(HTTP2Frame.preface + HTTP2Frame.settings([4: window]).bytes)
    }

    func pass(seconds: Int64) {
        clock.now.withLock { $0 = $0 + .seconds(seconds) }
    }

    func receive(_ frames: HTTP2Frame...) throws {
        try receive(frames.flatMap(\.bytes))
    }

    func respond(to id: HTTP2Session.StreamID, _ text: String) throws {
        let head = HTTP2ResponseHead(HTTPResponse(status: .ok))
        session.respond(to: id, head, date: [], body: .stored(BodyChunks(ResponseBody(text))))
        try send()
    }

    /// The time in seconds, and the consequence.
    func deadline(
        _ limits: ServerLimits,
        blockedSince: NIODeadline? = nil
    ) -> (Int64, HTTP2Deadline.Consequence)? {
        session.deadline(limits, blockedSince: blockedSince).map {
            (Int64($0.time.uptimeNanoseconds / 1_000_000_000), $0.consequence)
        }
    }

    func send() throws {
        while try session.nextOutput() != nil {}
    }

    private func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
        try send()
    }
}

private func == (left: (Int64, HTTP2Deadline.Consequence)?, right: (Int64, HTTP2Deadline.Consequence)) -> Bool {
    left.map { $0 == right } ?? false
}

import BundleServing
import HTTPTypes
import Testing

@testable import ServerCore

@Suite("Ready responses")
struct ReadyResponsesTests {
    @Test("are found by their keys until they are dropped")
    func found() throws {
        var responses = ReadyResponses(capacity: 16)
        try insert("a/x", into: &responses)
        try insert("a/y", into: &responses)
        #expect(isThere("a/x", in: &responses))
        #expect(isThere("a/y", in: &responses))
        #expect(!isThere("a/", in: &responses))
        #expect(!isThere("", in: &responses))
        responses.removeAll()
        #expect(!isThere("a/x", in: &responses))
    }

    @Test("beyond the capacity replace those that weren't requested")
    func replaced() throws {
        var responses = ReadyResponses(capacity: 4)
        for key in ["a", "b", "c", "d"] { try insert(key, into: &responses) }
        for key in ["a", "b", "d"] { #expect(isThere(key, in: &responses)) }
        try insert("e", into: &responses)
        #expect(!isThere("c", in: &responses))
        for key in ["a", "b", "d", "e"] { #expect(isThere(key, in: &responses)) }
        // All have been used, so one of them is replaced.
        try insert("f", into: &responses)
        #expect(isThere("f", in: &responses))
        #expect(["a", "b", "d", "e"].count { isThere($0, in: &responses) } == 3)
    }

    @Test("with a limited validity are swept once they aren't valid any more, and keep a bounded number of bytes")
    func swept() throws {
        var responses = ReadyResponses(capacity: 1 << 14)
        let revocation = Revocation()
        let validity = ResponseValidity(until: .now + .seconds(1_000), revocation)
        let content = String(repeating: "x", count: 64 << 10)
        for number in 0..<300 { try insert("\(number)", .target(while: validity), content, into: &responses) }
        #expect((0..<300).count { isThere("\($0)", in: &responses) } == 256)
        try insert("kept", into: &responses)
        responses.sweep()
        #expect(isThere("0", in: &responses))
        revocation.revoke()
        responses.sweep()
        #expect(!(0..<300).contains { isThere("\($0)", in: &responses) })
        #expect(isThere("kept", in: &responses))
        try insert("next", .target(while: ResponseValidity(until: .now, Revocation())), content, into: &responses)
        #expect(isThere("next", in: &responses))
        responses.sweep()
        #expect(!isThere("next", in: &responses))
    }

    private func insert(
        _ key: String,
        _ reuse: ResponseStart.Reuse = .path,
        _ content: String = "x",
        into responses: inout ReadyResponses
    ) throws {
        try Array(key.utf8).withUnsafeBytes { key in
            let head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\""])
            let whole = Response(head: head, body: ResponseBody(content))
            let response = ReadyResponse(whole, ResponseSource(.active), reuse, as: .http1, key: key)
            responses.insert(try #require(response), for: key)
        }
    }

    private func isThere(_ key: String, in responses: inout ReadyResponses) -> Bool {
        Array(key.utf8).withUnsafeBytes { responses.response(for: $0) } != nil
    }
}

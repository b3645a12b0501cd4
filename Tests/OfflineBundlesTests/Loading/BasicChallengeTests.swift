import HTTPTypes
import Testing

@testable import OfflineBundles

@Suite("A challenge")
struct BasicChallengeTests {
    @Test(
        "is found in a list of challenges, with its realm",
        arguments: [
            (["Basic realm=\"a b\""], "a b"), (["basic realm=a"], "a"), (["Basic"], ""),
            (["Basic charset=\"UTF-8\""], ""),
            (["Digest realm=\"x\", nonce=\"y, Basic realm=z\", Basic realm=\"a\""], "a"),
            (["Negotiate", "Basic realm=\"a\""], "a"),
            (["Negotiate, Basic realm=\"a\""], "a"), (["Basic charset=\"UTF-8\", realm=\"a \\\"b\\\"\""], "a \"b\""),
            (["Digest realm=\"x\""], nil), (["Bearer"], nil), ([], nil), (["Basic, Bearer realm=\"x\""], ""),
        ] as [([String], String?)]
    )
    func realms(_ values: [String], _ realm: String?) throws {
        let name = try #require(HTTPField.Name("WWW-Authenticate"))
        let fields = HTTPFields(values.map { HTTPField(name: name, value: $0) })
        let challenge = BasicChallenge(HTTPResponse(status: .unauthorized, headerFields: fields))
        #expect(challenge.map { $0.realm ?? "" } == realm)
        #expect(BasicChallenge(HTTPResponse(status: .forbidden, headerFields: fields)) == nil)
    }
}

import BundleNetwork
import BundleServing
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Prepared answers")
struct PreparedAnswersTests {
    @Test("are found by their keys until they are let go")
    func found() throws {
        var answers = PreparedAnswers(capacity: 16)
        try insert("a/x", into: &answers)
        try insert("a/y", into: &answers)
        #expect(isThere("a/x", in: &answers))
        #expect(isThere("a/y", in: &answers))
        #expect(!isThere("a/", in: &answers))
        #expect(!isThere("", in: &answers))
        answers.removeAll()
        #expect(!isThere("a/x", in: &answers))
    }

    @Test("beyond the capacity take the places of those that nobody asked for")
    func replaced() throws {
        var answers = PreparedAnswers(capacity: 4)
        for key in ["a", "b", "c", "d"] { try insert(key, into: &answers) }
        for key in ["a", "b", "d"] { #expect(isThere(key, in: &answers)) }
        try insert("e", into: &answers)
        #expect(!isThere("c", in: &answers))
        for key in ["a", "b", "d", "e"] { #expect(isThere(key, in: &answers)) }
        // Now that all are used, one of them has to go.
        try insert("f", into: &answers)
        #expect(isThere("f", in: &answers))
        #expect(["a", "b", "d", "e"].count { isThere($0, in: &answers) } == 3)
    }

    private func insert(_ key: String, into answers: inout PreparedAnswers) throws {
        try Array(key.utf8).withUnsafeBytes { key in
            let fields: HTTPFields = [.eTag: "\"1\""]
            let answer = PreparedAnswer(
                key: key,
                whole: HTTPAnswer(head: HTTPResponse(status: .ok, headerFields: fields), body: AnswerBody("x")),
                notModified: HTTPAnswer(head: HTTPResponse(status: .notModified, headerFields: fields)),
                source: AnswerSource(.active),
                cookie: nil,
                mark: nil
            )
            answers.insert(try #require(answer), for: key)
        }
    }

    private func isThere(_ key: String, in answers: inout PreparedAnswers) -> Bool {
        Array(key.utf8).withUnsafeBytes { answers.answer(for: $0) } != nil
    }
}

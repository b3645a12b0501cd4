import Foundation
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Preconditions (RFC 9110 §13)")
struct PreconditionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let fields: HTTPFields
        let expected: Precondition.Outcome
        let rule: String
        var testDescription: String { rule }

        init(_ fields: HTTPFields, _ expected: Precondition.Outcome, _ rule: String) {
            (self.fields, self.expected, self.rule) = (fields, expected, rule)
        }
    }

    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"
    private static let current = Validators(entityTag: EntityTag("\"now\""), lastModified: HTTPDate(same))

    private static let conditions: [Case] = [
        Case([:], .proceed, "no condition"),

        Case([.ifMatch: "\"now\""], .proceed, "§13.1.1 If-Match with the current tag"),
        Case([.ifMatch: "\"old\", \"now\""], .proceed, "§13.1.1 If-Match with it in a list"),
        Case([.ifMatch: "*"], .proceed, "§13.1.1 If-Match: * holds for what exists"),
        Case([.ifMatch: "\"old\""], .failed, "§13.1.1 If-Match with another tag"),
        Case([.ifMatch: "W/\"now\""], .failed, "§13.1.1 If-Match compares strongly"),
        Case([.ifMatch: "now"], .failed, "§13.1.1 If-Match that can't be understood"),
        Case([.ifMatch: ""], .failed, "§13.1.1 If-Match without a tag"),

        Case([.ifUnmodifiedSince: same], .proceed, "§13.1.4 If-Unmodified-Since the same second"),
        Case([.ifUnmodifiedSince: after], .proceed, "§13.1.4 If-Unmodified-Since later"),
        Case([.ifUnmodifiedSince: before], .failed, "§13.1.4 If-Unmodified-Since earlier"),
        Case([.ifUnmodifiedSince: "yesterday"], .proceed, "§13.1.4 If-Unmodified-Since without a date is ignored"),
        Case(
            [.ifMatch: "\"now\"", .ifUnmodifiedSince: before],
            .proceed,
            "§13.2.2 If-Match hides If-Unmodified-Since"
        ),
        Case([.ifMatch: "\"old\"", .ifUnmodifiedSince: same], .failed, "§13.2.2 and does so when it fails"),

        Case([.ifNoneMatch: "\"now\""], .notModified, "§13.1.2 If-None-Match with the current tag"),
        Case([.ifNoneMatch: "W/\"now\""], .notModified, "§13.1.2 If-None-Match compares weakly"),
        Case([.ifNoneMatch: "\"old\",, W/\"now\""], .notModified, "§13.1.2 If-None-Match with it in a list"),
        Case([.ifNoneMatch: "*"], .notModified, "§13.1.2 If-None-Match: *"),
        Case([.ifNoneMatch: "\"old\""], .proceed, "§13.1.2 If-None-Match with another tag"),
        Case([.ifNoneMatch: "now"], .proceed, "§13.1.2 If-None-Match that can't be understood"),
        Case([.ifNoneMatch: "\"NOW\""], .proceed, "§8.8.3 tags have case"),

        Case([.ifModifiedSince: same], .notModified, "§13.1.3 If-Modified-Since the same second"),
        Case([.ifModifiedSince: after], .notModified, "§13.1.3 If-Modified-Since later"),
        Case([.ifModifiedSince: before], .proceed, "§13.1.3 If-Modified-Since earlier"),
        Case([.ifModifiedSince: "Sunday, 06-Nov-94 08:49:37 GMT"], .notModified, "§5.6.7 in the RFC 850 form"),
        Case([.ifModifiedSince: "Sun Nov  6 08:49:37 1994"], .notModified, "§5.6.7 in the asctime form"),
        Case([.ifModifiedSince: "0"], .proceed, "§13.1.3 If-Modified-Since without a date is ignored"),
        Case([.ifModifiedSince: "\(same), \(same)"], .proceed, "§13.1.3 If-Modified-Since twice is ignored"),
        Case(
            [.ifNoneMatch: "\"old\"", .ifModifiedSince: same],
            .proceed,
            "§13.1.3 If-None-Match hides If-Modified-Since"
        ),
        Case([.ifNoneMatch: "", .ifModifiedSince: same], .proceed, "§13.1.3 even when it names no tag"),
        Case([.ifNoneMatch: "\"now\"", .ifModifiedSince: before], .notModified, "§13.2.2 If-None-Match decides alone"),

        Case([.ifMatch: "\"old\"", .ifNoneMatch: "\"now\""], .failed, "§13.2.2 If-Match comes first"),
        Case([.ifMatch: "\"now\"", .ifNoneMatch: "\"now\""], .notModified, "§13.2.2 then If-None-Match"),
        Case(
            [.ifUnmodifiedSince: before, .ifModifiedSince: after],
            .failed,
            "§13.2.2 If-Unmodified-Since comes first"
        ),
        Case([.ifUnmodifiedSince: same, .ifModifiedSince: same], .notModified, "§13.2.2 then If-Modified-Since"),
    ]

    @Test("GET and HEAD follow the order of §13.2.2", arguments: conditions)
    func reading(condition: Case) {
        for method in [HTTPRequest.Method.get, .head] {
            let outcome = outcome(method: method, fields: condition.fields, validators: Self.current)
            #expect(outcome == condition.expected, "\(method)")
        }
    }

    @Test(
        "methods that change something fail instead of getting a 304, and ignore If-Modified-Since",
        arguments: conditions
    )
    func writing(condition: Case) {
        let notModified: Precondition.Outcome = condition.fields.contains(.ifNoneMatch) ? .failed : .proceed
        let expected = condition.expected == .notModified ? notModified : condition.expected
        for method in [HTTPRequest.Method.put, .post, .delete, .patch] {
            let outcome = outcome(method: method, fields: condition.fields, validators: Self.current)
            #expect(outcome == expected, "\(method)")
        }
    }

    @Test("methods without a representation ignore every condition (§13.2.1)", arguments: conditions)
    func ignoring(condition: Case) {
        for method in [HTTPRequest.Method.options, .trace, .connect] {
            let outcome = outcome(method: method, fields: condition.fields, validators: Self.current)
            #expect(outcome == .proceed, "\(method)")
        }
    }

    @Test(
        "without validators, dates are ignored, tags match nothing and * matches",
        arguments: [
            Case([.ifMatch: "\"now\""], .failed, "If-Match"),
            Case([.ifMatch: "*"], .proceed, "If-Match: *"),
            Case([.ifNoneMatch: "\"now\""], .proceed, "If-None-Match"),
            Case([.ifNoneMatch: "*"], .notModified, "If-None-Match: *"),
            Case([.ifUnmodifiedSince: before], .proceed, "If-Unmodified-Since"),
            Case([.ifModifiedSince: after], .proceed, "If-Modified-Since"),
        ]
    )
    func withoutValidators(condition: Case) {
        let outcome = outcome(method: .get, fields: condition.fields, validators: Validators())
        #expect(outcome == condition.expected)
    }

    @Test("a list spread over several lines is one list (§5.3)")
    func severalLines() {
        var fields = HTTPFields()
        fields[values: .ifNoneMatch] = ["\"a\"", "\"now\""]
        #expect(outcome(method: .get, fields: fields, validators: Self.current) == .notModified)
    }

    @Test("a current tag that is weak matches If-None-Match and not If-Match")
    func weakCurrent() {
        let weak = Validators(entityTag: EntityTag("W/\"now\""))
        let fields: (HTTPField.Name) -> HTTPFields = { [$0: "W/\"now\""] }
        #expect(outcome(method: .get, fields: fields(.ifNoneMatch), validators: weak) == .notModified)
        #expect(outcome(method: .get, fields: fields(.ifMatch), validators: weak) == .failed)
    }

    private func outcome(
        method: HTTPRequest.Method,
        fields: HTTPFields,
        validators: Validators
    ) -> Precondition.Outcome {
        RequestConditions.withConditions(of: fields) { conditions in
            Precondition.evaluate(method: method, conditions, validators: validators)
        }
    }
}

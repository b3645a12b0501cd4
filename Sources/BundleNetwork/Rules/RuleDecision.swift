import BundleStore
import HTTPTypes

/// What the network rules say about one request: the rule that applies, and those that may apply instead when the media
/// type of the response is known.
///
/// A value type; safe to share between threads.
package struct RuleDecision: Sendable {
    /// The rule that applies; nil when none does.
    package let applied: AppliedRule?
    /// The rules before ``applied`` that only lack the media type, in their order.
    private let candidates: [AppliedRule]
    private let request: RuleRequest
    private let scope: RuleScope

    init(_ applied: AppliedRule?, candidates: [AppliedRule], _ request: RuleRequest, _ scope: RuleScope) {
        self.applied = applied
        self.candidates = candidates
        self.request = request
        self.scope = scope
    }

    /// Whether a media type can still change the decision.
    package var dependsOnMediaType: Bool { !candidates.isEmpty }

    /// The rules that may apply when the media type is known.
    package var undecided: [AppliedRule] { candidates }

    /// The decision for a response, stored or from the network.
    ///
    /// - Parameter mediaType: The value of `Content-Type`; nil when there is none.
    package func forResponse(of mediaType: String?) -> RuleDecision {
        let first = candidates.first { $0.rule.match.matches(mediaType: mediaType) }
        return RuleDecision(first ?? applied, candidates: [], request, scope)
    }
}

// MARK: - What applies

extension RuleDecision {
    private var rule: NetworkRule? { applied?.rule }

    /// Which of the cache and the network respond.
    package var strategy: RuleStrategy { rule?.strategy ?? .cacheFirst }

    /// Whether the request is refused for the sake of a metered link: what is stored costs it nothing, and responds.
    var isMeteredBlock: Bool { strategy == .block && rule?.isOnlyIfMetered == true }

    /// Whether what is stored responds, and no origin is asked.
    var usesCacheAlone: Bool { strategy == .cacheOnly || isMeteredBlock }

    /// Whether neither what is stored nor an origin responds.
    var asksNobody: Bool { strategy == .bundleOnly || strategy == .block && !isMeteredBlock }

    /// How long `network-first` waits while there is a stored response; nil is the server's default.
    package var timeLimit: Duration? { rule?.timeLimit?.duration }

    /// Whether nothing stored is sent without a network.
    package var isNeverOffline: Bool { rule?.offline == .never }

    /// The copies that are kept for the time without a network; nil for none.
    package var offlineCopies: OfflineCopies? {
        guard let rule, rule.offline == .always else { return nil }
        return OfflineCopies(
            maximumAge: rule.keepDays.map { Double($0) * 24 * 3_600 },
            includesAuthorized: rule.keepsAuthorized,
            userCookies: rule.userCookies
        )
    }

    /// Where the connection goes in place of the origin's host.
    package var connectTo: ConnectAddress? { rule?.connectTo }

    /// The redirect that is sent without asking anyone.
    ///
    /// - Parameter root: The path of the bundle's root, as in the request, with a slash at its end.
    package func redirect(root: String) -> (status: Int, location: String)? {
        rule?.redirect.map { ($0.status, $0.location(root: root)) }
    }

    /// The response that takes the network's place.
    package var mock: MockResponse? {
        guard let applied, let mock = applied.rule.mock else { return nil }
        return MockResponse(mock, of: applied.source)
    }

    /// Where the request goes.
    package var target: RuleTarget {
        guard let rewrite = rule?.rewrite, let components = rewrite.components(replacing: request.subject)
        else { return .unchanged }
        return RuleTarget(components, of: rewrite.to, request, scope)
    }

    /// The fields of the request that goes to the origin, from those that would go without rules.
    ///
    /// - Parameter fields: Those of the request for ``target``.
    package func requestFields(_ fields: HTTPFields) -> HTTPFields {
        let confined = target.isForOtherOrigin ? fields.withoutCredentials : fields
        return confined.edited(by: rule?.requestFields ?? FieldEdit(), in: .request)
    }

    /// The fields of the response that goes to the client.
    package func responseFields(_ fields: HTTPFields) -> HTTPFields {
        fields.edited(by: rule?.responseFields ?? FieldEdit(), in: .response)
    }
}

extension RuleDecision {
    /// A line for each rule that applies or, depending on the response, may apply: where it is written, and what it does.
    /// Safe to print.
    package var summary: [String] {
        let depending = undecided.map { candidate in
            let types = candidate.rule.match.mediaTypes.map(\.string).joined(separator: ", ")
            return "\(candidate): \(candidate.rule.summary), if the response is \(types)"
        }
        return (depending + [applied].compactMap { $0 }.map { "\($0): \($0.rule.summary)\(rewriting)" })
            .map(Printable.line)
    }

    private var rewriting: String {
        switch target {
        case .unchanged: ""
        case .rewritten(let url, let isOtherOrigin): "; requests \(url)\(isOtherOrigin ? " without credentials" : "")"
        case .refused: "; refused, because it rewrites the URL to one outside the bundle's origins"
        }
    }
}

extension NetworkRule {
    fileprivate var summary: String {
        if let redirect { return "redirects with \(redirect.status) to \(redirect.place)" }
        if let mock { return "mocks \(mock.status)\(mock.file.map { " with \($0)" } ?? "")" }
        let parts = [
            strategy.rawValue + (strategy == .block && isOnlyIfMetered ? ", except what is stored" : "")
                + (timeLimit.map { ", after \($0.count) ms what is stored" } ?? ""),
            offline.map { offline in
                switch offline {
                case .never: "nothing stored without a network"
                case .always: "what was sent before without a network" + (keepDays.map { ", for \($0) days" } ?? "")
                }
            },
            connectTo.map { "connects to \($0.string)" },
            requestFields.isEmpty ? nil : "changes request fields",
            responseFields.isEmpty ? nil : "changes response fields",
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}

/// A rule with its place, so that it can be named. A value type; safe to share between threads.
package struct AppliedRule: Equatable, Sendable, CustomStringConvertible {
    /// Who has written the rule.
    package enum Source: Equatable, Sendable {
        /// The operator, for all bundles; the folder of the file, in which its mocks lie.
        case file(name: String, folder: String)
        /// The bundle's manifest.
        case manifest
    }

    /// Who has written it.
    package let source: Source
    /// Its position in the list.
    package let index: Int
    /// The rule.
    package let rule: NetworkRule

    /// Where it is written: `bundle.json: network.rules[2]`.
    package var description: String {
        switch source {
        case .file(let name, _): "\(name): rules[\(index)]"
        case .manifest: "\(BundleManifest.fileName): network.rules[\(index)]"
        }
    }
}

/// A response that takes the network's place during development. A value type; safe to share between threads.
package struct MockResponse: Equatable, Sendable {
    /// Where the content is.
    package enum Content: Equatable, Sendable {
        /// There is none.
        case empty
        /// In the bundle.
        case bundled(BundlePath)
        /// In a file beside the operator's rules.
        case file(String)
        /// In the rule itself.
        case inline([UInt8], mediaType: String)
    }

    /// Where the content is.
    package let content: Content
    /// The status.
    package let status: Int
    /// Fields besides those of the content.
    package let fields: [HeaderField]
    /// How long the response takes.
    package let delay: Duration?

    init(_ mock: RuleMock, of source: AppliedRule.Source) {
        content =
            switch (mock.file, source) {
            case (nil, _): mock.content.map(Self.inline) ?? .empty
            case (let path?, .manifest): .bundled(path)
            case (let path?, .file(_, let folder)): .file("\(folder)/\(path)")
            }
        status = mock.status
        fields = mock.fields
        delay = mock.delay?.duration
    }

    /// A text as it is, anything else as a document.
    private static func inline(_ content: JSONValue) -> Content {
        if case .string(let text) = content { return .inline(Array(text.utf8), mediaType: "text/plain; charset=utf-8") }
        return .inline(JSONWriter.bytes(of: content, .compact), mediaType: "application/json")
    }
}

extension HTTPFields {
    /// A copy with the fields removed, replaced and added, in this order. What rules may not change is left alone, even
    /// if a rule says so.
    func edited(by edit: FieldEdit, in message: EditableField.Message) -> HTTPFields {
        guard !edit.isEmpty else { return self }
        var fields = self
        for name in edit.remove where EditableField.permission(for: name, in: message) != .nothing {
            if let name = HTTPField.Name(name) { fields[fields: name] = [] }
        }
        for (name, value) in Self.allowed(edit.set, message) { fields[name] = value }
        for (name, value) in Self.allowed(edit.add, message) { fields.append(HTTPField(name: name, value: value)) }
        return fields
    }

    private static func allowed(
        _ fields: [HeaderField],
        _ message: EditableField.Message
    ) -> [(HTTPField.Name, String)] {
        fields.compactMap { field in
            guard EditableField.permission(for: field.name, in: message) == .any else { return nil }
            return HTTPField.Name(field.name).map { ($0, field.value) }
        }
    }

    /// A copy without what a client sends to one origin alone (RFC 6265 §5.4, RFC 9110 §11.6.2).
    var withoutCredentials: HTTPFields {
        var fields = self
        for name in [HTTPField.Name.cookie, .authorization] { fields[fields: name] = [] }
        return fields
    }
}

import BundleStore

/// What a row's response must be. A value type.
struct Expectation: Sendable {
    /// What a field must be.
    enum Field: Sendable {
        case equal(String)
        case containing(String)
        case absent
    }

    /// What the content must be.
    enum Body: Sendable {
        /// Exactly this text.
        case text(String)
        /// The content with this digest.
        case digest(Digest)
        case containing(String)
        case empty
    }

    let status: Int
    var fields: [String: Field] = [:]
    var body: Body?

    /// What is wrong with a response; empty when nothing is.
    func problems(with response: SurfaceResponse) -> [String] {
        var problems: [String] = []
        if response.status != status { problems.append("status \(response.status), not \(status)") }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) where !field.matches(response.fields[name]) {
            problems.append("\(name) is \(response.fields[name] ?? "absent"), not \(field)")
        }
        if let body, !body.matches(response.body) {
            let text = String(decoding: response.body.prefix(200), as: UTF8.self)
            problems.append("the content is “\(text)” (\(response.body.count) bytes), not \(body)")
        }
        return problems
    }
}

extension Expectation.Field {
    fileprivate func matches(_ value: String?) -> Bool {
        switch self {
        case .equal(let expected): value == expected
        case .containing(let part): value?.contains(part) ?? false
        case .absent: value == nil
        }
    }
}

extension Expectation.Body {
    fileprivate func matches(_ content: [UInt8]) -> Bool {
        switch self {
        case .text(let text): content == Array(text.utf8)
        case .digest(let digest): Digest(of: content) == digest
        case .containing(let part): String(decoding: content, as: UTF8.self).contains(part)
        case .empty: content.isEmpty
        }
    }
}

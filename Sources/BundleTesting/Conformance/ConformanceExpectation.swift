import BundleStore

/// What a response must be.
package struct ConformanceExpectation: Sendable {
    /// What a field must be: its lines, joined with line feeds. A text stands for ``equal(_:)``, nil for ``absent``.
    package enum Field: Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
        case equal(String)
        case containing(String)
        case absent

        package init(stringLiteral text: String) { self = .equal(text) }
        package init(nilLiteral: ()) { self = .absent }
    }

    /// What the content must be.
    package enum Content: Sendable {
        /// Exactly this text.
        case text(String)
        /// The content with this digest.
        case digest(Digest)
        case containing(String)
        case empty
    }

    package let status: Int
    package var fields: [String: Field]
    /// Nil for any.
    package var content: Content?

    package init(_ status: Int, _ fields: [String: Field] = [:], content: Content? = nil) {
        (self.status, self.fields, self.content) = (status, fields, content)
    }

    /// What is wrong with a response; empty when nothing is.
    ///
    /// - Parameter fill: Puts values in place of what the expected fields couldn't know.
    package func problems(with response: RawResponse, filling fill: (String) -> String = { $0 }) -> [String] {
        var problems: [String] = []
        if response.status != status { problems.append("status \(response.status), not \(status)") }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            let value = response.lines(of: name)
            if !field.matches(value, fill) { problems.append("\(name) is \(value ?? "absent"), not \(field)") }
        }
        if let content, !content.matches(response.body) {
            problems.append(
                "the content is “\(response.text.prefix(200))” (\(response.body.count) bytes), not \(content)"
            )
        }
        return problems
    }
}

extension ConformanceExpectation.Field {
    fileprivate func matches(_ value: String?, _ fill: (String) -> String) -> Bool {
        switch self {
        case .equal(let expected): value == fill(expected)
        case .containing(let part): value?.contains(fill(part)) ?? false
        case .absent: value == nil
        }
    }
}

extension ConformanceExpectation.Content {
    fileprivate func matches(_ content: [UInt8]) -> Bool {
        switch self {
        case .text(let text): content.elementsEqual(text.utf8)
        case .digest(let digest): Digest(of: content) == digest
        case .containing(let part): String(decoding: content, as: UTF8.self).contains(part)
        case .empty: content.isEmpty
        }
    }
}

extension RawResponse {
    /// The values of a field, one a line; nil when there is none.
    fileprivate func lines(of name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }
}

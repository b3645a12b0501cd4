/// A response as it arrived, with its body decoded from chunks.
package struct RawResponse: Sendable {
    package let statusLine: String
    package let fields: [(name: String, value: String)]
    package var body: [UInt8] = []

    package init(head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        statusLine = lines.first ?? ""
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    /// The head of an HTTP/2 response.
    package init(fields: [(name: String, value: String)]) {
        self.fields = fields.filter { $0.name != ":status" }
        statusLine = "HTTP/2 \(fields.first { $0.name == ":status" }?.value ?? "")"
    }

    package var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the only field with this name, or nil when there is none or more than one.
    package subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.count == 1 ? values.first : nil
    }
}

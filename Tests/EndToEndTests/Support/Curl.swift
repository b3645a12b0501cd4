import BundleTesting
import Foundation

/// A request by the real curl, and its response.
struct Curl {
    let version: String
    let status: Int
    let body: [UInt8]
    private let fields: [(name: String, value: String)]

    /// - Parameter options: Further options of curl.
    static func get(_ url: String, _ options: String...) async throws -> Curl {
        try await get(url, options)
    }

    /// - Parameter options: Further options of curl.
    static func get(_ url: String, _ options: [String]) async throws -> Curl {
        let arguments =
            ["--silent", "--show-error", "--include", "--noproxy", "*", "--max-time", "30"] + options + [url]
        let result = try await ChildProcess.run("curl", arguments)
        guard result.exitCode == 0 else { throw Failure(message: result.errorOutput) }
        return try Curl(message: result.outputBytes)
    }

    struct Failure: Error {
        let message: String
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a field; several lines joined by commas. Nil when there is none.
    subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    private init(message: [UInt8]) throws {
        guard let end = message.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Failure(message: "no head") }
        let lines = String(decoding: message[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw Failure(message: lines[0]) }
        self.status = status
        version = String(words[0])
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (String(line[..<colon]), value)
        }
        body = Array(message[end.upperBound...])
    }
}

import BundleServing
import BundleTesting
import Foundation

@testable import BundleServer

/// What is recorded of a request: the line in the access log, its duration as zero, and the one at level debug.
struct ConformanceRecord: Sendable, Equatable {
    let accessLogLine: String
    let debugLine: String

    /// - Parameters:
    ///   - accessLogLine: As it is written.
    ///   - debugLine: The message.
    init(accessLogLine: String, debugLine: String) {
        self.accessLogLine = accessLogLine.replacing(/"duration_ms":\d+\.\d{3},/, with: #""duration_ms":0.000,"#)
        self.debugLine = debugLine
    }

    /// What is expected, written without the code that is tested.
    init(
        of request: ConformanceRequest,
        _ expected: DriverExpectation,
        byteCount: Int,
        on driver: ConformanceDriver,
        as format: AccessLogFormat
    ) {
        let line = expected.isOfRequest ? "\(request.method) \(request.target)" : "no request"
        debugLine = "\(line) \(expected.response.status)"
        accessLogLine =
            switch format {
            case .json: Self.json(request, expected, byteCount, driver)
            case .combined: Self.combined(request, expected, byteCount, driver)
            }
    }

    private static func json(
        _ request: ConformanceRequest,
        _ expected: DriverExpectation,
        _ byteCount: Int,
        _ driver: ConformanceDriver
    ) -> String {
        var texts: [(String, String?)] = [("time", "2027-01-15T08:00:00.000Z"), ("client", "127.0.0.1")]
        func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
        if expected.isOfRequest {
            let target = text(ConformanceRequest.bytes(request.target))
            texts += [("method", request.method), ("target", target), ("host", request.host)]
            texts.append(("protocol", driver.protocolName))
        }
        let numbers = #""status":\#(expected.response.status),"bytes":\#(byteCount),"duration_ms":0.000"#
        let release = expected.release?.split(separator: "@").map(String.init)
        var more: [(String, String?)] = [("layer", expected.layer.rawValue)]
        more += [("bundle", release?.first), ("version", release?.last)]
        if expected.isOfRequest {
            more += [
                ("referer", text(request.bytes(of: "Referer"))), ("user_agent", text(request.bytes(of: "User-Agent"))),
            ]
        }
        func members(_ list: [(String, String?)]) -> String {
            list.compactMap { name, value in value.map { #""\#(name)":"\#(escaped($0))""# } }.joined(separator: ",")
        }
        return "{\(members(texts)),\(numbers),\(members(more))}"
    }

    /// RFC 8259 §7.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func combined(
        _ request: ConformanceRequest,
        _ expected: DriverExpectation,
        _ byteCount: Int,
        _ driver: ConformanceDriver
    ) -> String {
        func field(_ name: String) -> String {
            guard expected.isOfRequest, let value = request.bytes(of: name) else { return "-" }
            return plain(value)
        }
        let target = plain(ConformanceRequest.bytes(request.target))
        let line = expected.isOfRequest ? "\(request.method) \(target) \(driver.protocolName)" : ""
        return #"127.0.0.1 - - [15/Jan/2027:08:00:00 +0000] "\#(line)" \#(expected.response.status) \#(byteCount) "#
            + #""\#(field("Referer"))" "\#(field("User-Agent"))""#
    }

    /// What isn't printable ASCII, as nginx has it.
    private static func plain(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            return isPlain ? String(UnicodeScalar(byte)) : String(format: "\\x%02X", byte)
        }.joined()
    }
}

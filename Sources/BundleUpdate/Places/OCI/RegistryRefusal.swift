import BundleModel
import Foundation
import HTTPCore
import HTTPTypes

/// A response by which a registry refuses something (distribution-spec, “Error Codes”). A value type; safe to share between threads.
struct RegistryRefusal: Sendable {
    private let head: HTTPResponse
    /// Such as `DENIED`; nil when it has none.
    let code: String?

    /// - Parameter body: A JSON document with `errors`, as it should be.
    init(_ head: HTTPResponse, _ body: [UInt8]) {
        self.head = head
        let code = (try? JSONDecoder().decode(Document.self, from: Data(body)))?.errors.first?.code
        // Messages show it: its other texts may say anything.
        self.code = code.flatMap { code in
            code.utf8.count <= 40 && code.utf8.allSatisfy { ASCII.isUppercase($0) || $0 == UInt8(ascii: "_") }
                ? code : nil
        }
    }

    private struct Document: Decodable {
        struct Entry: Decodable {
            let code: String
        }

        let errors: [Entry]
    }

    /// - Parameter what: What was asked for.
    func error(_ what: String, of reference: OCIReference) -> BundleError {
        let status = head.status.code
        let problem = "\(reference): the registry responded to \(what) with \(status)\(code.map { " (\($0))" } ?? "")"
        let cause = UnexpectedResponse(head: head)
        if status == 429 || code == "TOOMANYREQUESTS" || cause.asksForPause {
            return BundleError(.networkUnavailable, "\(problem); try again later", cause: cause)
        }
        if [401, 403].contains(status) || ["UNAUTHORIZED", "DENIED"].contains(code) {
            return BundleError(.networkUnavailable, problem, .logIn(reference.registry), cause: cause)
        }
        let isAbsent = status == 404 || ["NAME_UNKNOWN", "MANIFEST_UNKNOWN", "BLOB_UNKNOWN"].contains(code)
        let advice =
            isAbsent ? "check the name of the place, or publish to it" : "try again later, or check the registry"
        return BundleError(.networkUnavailable, "\(problem); \(advice)", cause: cause)
    }
}

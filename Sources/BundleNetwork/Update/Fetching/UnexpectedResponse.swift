import BundleServing
import BundleStore
import HTTPTypes

/// The cause of the error for a response that isn't what was asked for.
struct UnexpectedResponse: Error {
    /// Its status and fields.
    let head: HTTPResponse

    /// Whether the server wants to be asked less: then it isn't asked for anything else instead (RFC 6585 §4, RFC 9110
    /// §15.6.4, §10.2.3).
    var asksForPause: Bool { [429, 503].contains(head.status.code) || head.headerFields.contains(.retryAfter) }

    /// What to do about it: to wait, if the server wants that.
    func advice(otherwise: String) -> String { asksForPause ? "try again later" : otherwise }
}

extension BundleError {
    /// Whether a server has caused it that wants to be asked less.
    var asksForPause: Bool { (cause as? UnexpectedResponse)?.asksForPause ?? false }
}

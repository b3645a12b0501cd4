import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// The cause of the error for a response that isn't what was asked for.
struct UnexpectedResponse: Error {
    /// Its status and fields.
    let head: HTTPResponse

    /// Whether the server wants to be asked less: then it isn't asked for anything else instead (RFC 6585 §4, RFC 9110
    /// §15.6.4, §10.2.3).
    var asksForPause: Bool { [429, 503].contains(head.status.code) || head.headerFields.contains(.retryAfter) }

    /// The error for it.
    ///
    /// - Parameter advice: What to do, unless the server says that.
    func error(at url: URL, advice: String) -> BundleError {
        let problem = "\(url.reported) responded with \(head.status.code)"
        // RFC 9110 §15.5.2.
        if head.status == .unauthorized {
            return BundleError(.networkUnavailable, problem, .giveFeedCredential, cause: self)
        }
        let advice = asksForPause ? "try again later" : advice
        return BundleError(.networkUnavailable, "\(problem); \(advice)", cause: self)
    }
}

extension BundleError {
    /// Whether a server has caused it that wants to be asked less.
    var asksForPause: Bool { (cause as? UnexpectedResponse)?.asksForPause ?? false }
}

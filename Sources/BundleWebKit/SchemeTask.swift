import HTTPTypes

/// What a `WKURLSchemeTask` is told, without WebKit's types, so that the rules of its protocol can be tested anywhere.
///
/// Each call has to come from the main thread, the response before data and before the end, and nothing after the end or after the
/// web view has stopped the task: WebKit raises an exception otherwise, which ends the app.
@MainActor
package protocol SchemeTask: AnyObject {
    func didReceive(_ head: HTTPResponse)
    func didReceive(_ data: [UInt8])
    func didFinish()
    func didFail(_ failure: SchemeFailure)
}

/// Why a task gets no response, or not the whole.
package enum SchemeFailure: Error, Sendable {
    /// No bundle has the address.
    case noBundle
    /// A redirect leads to another origin, which a scheme's task can't be sent to, or there are too many.
    case noRedirect
    /// The response breaks off.
    case brokenOff(any Error)
}

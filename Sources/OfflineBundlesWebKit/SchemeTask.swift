import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a web view wants to have loaded, with the members of `WKURLSchemeTask` and its rules: a response first, then data, and
/// one end; nothing after the end, and nothing once the web view has stopped the task. WebKit raises an exception for anything
/// else.
package protocol SchemeTask: AnyObject {
    /// What is to be loaded.
    var request: URLRequest { get }
    /// Takes the response.
    func didReceive(_ response: URLResponse)
    /// Takes a part of the content.
    func didReceive(_ data: Data)
    /// Takes the end.
    func didFinish()
    /// Takes the end, which is an error.
    func didFailWithError(_ error: any Error)
}

import BundleServing
import HTTPTypes

/// What an app's own code decides about a request for the network that no rule applies to.
///
/// A value type; safe to share between threads.
public enum LastResort: Sendable {
    /// Sends this request in its place: other fields, or another URL, which may be any http or https URL and is sent the
    /// fields that are given, credentials included. The method and the content remain those of the app's request. What the
    /// origin responds is cached under the URL that is asked.
    case send(HTTPRequest)
    /// Responds without asking the cache or the network.
    case respond(Response)

    /// Decides about a request, which has `scheme`, `authority` and `path`; nil leaves it alone. Called for each request
    /// that neither a bundled file nor a rule concerns, before the cache is asked, on any thread, and by several at once;
    /// it must not wait.
    public typealias Handler = @Sendable (HTTPRequest) -> LastResort?
}

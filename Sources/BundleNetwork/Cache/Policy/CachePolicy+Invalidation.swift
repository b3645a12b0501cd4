import HTTPTypes

extension CachePolicy {
    /// Whether what is stored for a URL is out of date after a request to it got this answer: the method may have
    /// changed something and the answer isn't an error (RFC 9111 §4.4).
    ///
    /// Of methods not known to be safe it is assumed that they aren't.
    public static func invalidates(method: HTTPRequest.Method, status: HTTPResponse.Status) -> Bool {
        let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
        return !safe.contains(method) && (200...399).contains(status.code)
    }
}

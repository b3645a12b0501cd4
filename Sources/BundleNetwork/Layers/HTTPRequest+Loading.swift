import BundleServing
import BundleStore
import HTTPTypes

extension HTTPRequest {
    /// The request of an app that loads a URL.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL; a fragment is ignored.
    ///   - isPage: Whether a page is being opened.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when `url` is no `http` or `https` URL, or has a
    ///   space or a control character.
    package init(
        loading url: String,
        method: HTTPRequest.Method = .get,
        isPage: Bool = false
    ) throws(BundleError) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let target = RequestTarget(url: url),
            let scheme = target.scheme, let authority = target.authority
        else {
            throw BundleError(.invalidArgument, "“\(Printable.text(url))” is not an http or https URL; correct it")
        }
        self.init(
            method: method,
            scheme: scheme,
            authority: authority,
            path: target.path + target.query,
            headerFields: isPage ? [.secFetchMode: "navigate", .secFetchDest: "document"] : [:]
        )
    }
}

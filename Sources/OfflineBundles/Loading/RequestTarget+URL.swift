import BundleEmbedding
import Foundation

extension RequestTarget {
    /// A URL as the layers get it.
    ///
    /// - Returns: Nil for a URL of another scheme than http, https and the app's own, without a host, or, of http and https,
    ///   with user information.
    init?(_ url: URL, _ options: LoadingOptions) {
        guard options.hasScheme(of: url) else {
            self.init(url: url.absoluteString)
            return
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        // As an endpoint gets it from a browser: each bundle has a host of its own.
        self.init(path + (parts.percentEncodedQuery.map { "?\($0)" } ?? ""), host: "\(host).localhost")
    }
}

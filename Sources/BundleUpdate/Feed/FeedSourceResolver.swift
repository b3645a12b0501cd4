import BundleStore
import Foundation

/// Turns the `src` of a release into the URL to fetch.
struct FeedSourceResolver {
    let baseURL: URL

    func resolve(_ element: JSONElement) throws(BundleError) -> URL {
        let text = try element.string()
        // Foundation would otherwise percent-encode invalid characters, and a server might interpret the result
        // differently.
        guard URL(string: text, encodingInvalidCharacters: false) != nil,
            let url = URL(string: text, relativeTo: baseURL)?.absoluteURL
        else {
            throw refused(element, text, "is not a URL reference; percent-encode what is not ASCII")
        }
        return try checked(url, element, text)
    }

    private func checked(_ url: URL, _ element: JSONElement, _ text: String) throws(BundleError) -> URL {
        if let feed = FileURL(baseURL), let scheme = url.scheme, scheme.lowercased() == "file" {
            guard FileURL(url)?.components(beside: feed) != nil else {
                throw refused(element, text, "isn't in the folder of its feed; name what is beside the feed")
            }
            return url
        }
        let parts = try parts(of: url, element)
        guard !parts.hasFragment else {
            throw refused(element, text, "has a fragment; leave out “#” and what follows")
        }
        if baseURL.scheme?.lowercased() == "https", parts.scheme == .http {
            throw refused(element, text, "leaves https for http; serve the archive over https too")
        }
        let scheme = parts.scheme.rawValue
        guard let url = URL(string: scheme + url.absoluteString.dropFirst(scheme.count)) else {
            throw refused(element, text, "is not a URL reference")
        }
        return url
    }

    private func parts(of url: URL, _ element: JSONElement) throws(BundleError) -> HTTPURL {
        do {
            return try HTTPURL(url.absoluteString)
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }

    private func refused(_ element: JSONElement, _ text: String, _ problem: String) -> BundleError {
        element.refused("“\(Printable.text(text))” \(problem)")
    }
}

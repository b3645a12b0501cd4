import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Moves a browser from one publisher of a bundle's name to the next, which has the same host.
///
/// A browser that has the ``/HTTPCore/PublisherCookie`` has been cleared. Any other browser first gets a page that
/// clears, and the cookie only with a later response: `Clear-Site-Data` also removes a cookie of its own response (W3C
/// Clear Site Data §3.3), and some browsers ignore it in a redirect. So a page of this server clears, and leads to an
/// address that proves it: with a text that only that page knew, requested by a page of the same origin. For a browser
/// that doesn't say which page sends the request, or that accepts no cookie, every page clears.
///
/// Pure.
struct PublisherChange {
    /// The handling of a request.
    enum Step: Equatable {
        /// The browser has been cleared.
        case pass
        /// The request isn't for a page, and is handled as if it had no cookies.
        case withoutCookies
        /// The request comes from a page of the earlier publisher that is still open: it gets nothing from the new one.
        case refuse
        /// The response is a worker's script that removes the worker.
        case retireWorker
        /// A page of this server clears and leads to an address.
        case clear(next: String)
        /// The browser gets the cookie, and is redirected to an address.
        case mark(next: String)
        /// Finished; redirects to the original address.
        case leave(next: String)
        /// The page is sent, and clears.
        case clearWithPage
    }

    /// The query parameter that holds the progress.
    static let parameter = "offline-bundles.cleared="
    private static let marked = "marked"

    /// The proof is valid for at least this many seconds, and at most twice as long.
    private static let window = 600.0

    /// - Parameters:
    ///   - address: The request's address, as a reference.
    ///   - bundle: The bundle that owns the host.
    ///   - cookie: The cookie of a cleared browser.
    static func step(
        for request: HTTPRequest,
        at address: String,
        of bundle: BundleName,
        _ cookie: PublisherCookie,
        now: Date
    ) -> Step {
        let cookies = VersionCookies(request.headerFields[.cookie])
        let isCleared = cookies.contains(cookie)
        let (clean, stage) = split(address)
        guard NavigationRequest.opensDocument(request) else {
            if isCleared { return .pass }
            if NavigationRequest.isForServiceWorker(request) { return .retireWorker }
            return cookies.arePresent(of: bundle) ? .refuse : .withoutCookies
        }
        if isCleared { return stage == nil ? .pass : .leave(next: clean) }
        switch stage {
        case Self.marked: return .clearWithPage
        case let proof? where isProof(proof, cookie, now):
            return NavigationRequest.isFromSameOrigin(request) ? .mark(next: join(clean, Self.marked)) : .clearWithPage
        default: return .clear(next: join(clean, proof(cookie, now.timeIntervalSince1970 / window)))
        }
    }

    /// An address without the parameter, and the parameter's value.
    private static func split(_ address: String) -> (clean: String, stage: String?) {
        guard let separator = address.utf8.lastIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }),
            case let last = address[separator...].dropFirst(), last.hasPrefix(parameter)
        else { return (address, nil) }
        return (String(address[..<separator]), String(last.dropFirst(parameter.count)))
    }

    private static func join(_ address: String, _ stage: String) -> String {
        "\(address)\(address.contains("?") ? "&" : "?")\(parameter)\(stage)"
    }

    private static func isProof(_ text: String, _ cookie: PublisherCookie, _ now: Date) -> Bool {
        let number = now.timeIntervalSince1970 / window
        return text == proof(cookie, number) || text == proof(cookie, number - 1)
    }

    private static func proof(_ cookie: PublisherCookie, _ number: Double) -> String {
        Digest(of: Array("\(cookie.value) \(number.rounded(.down))".utf8)).hex
    }
}

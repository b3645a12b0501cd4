import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// How a browser comes from one publisher of a bundle's name to the next, which has the host that was the first one's.
///
/// A browser that has the ``BundleServing/PublisherCookie`` has been cleared. Any other gets no page but one that clears. Then it is
/// given the cookie, and not with the same response: `Clear-Site-Data` takes that away too (W3C Clear Site Data §3.3), and isn't
/// followed everywhere in a redirect. So a page of this server's own clears, and leads on to an address that proves it: with a text
/// that only that page knew, asked for by a page of the same origin. Where a browser doesn't say who asks, or takes no
/// cookie, every page clears.
///
/// Pure.
struct PublisherChange {
    /// What is done with a request.
    enum Step: Equatable {
        /// The browser has been cleared.
        case pass
        /// It isn't for a page, and is answered as if it came without cookies.
        case withoutCookies
        /// A page of the earlier publisher that is still open asks: it gets nothing of the one after it.
        case refuse
        /// The response is a worker's script that removes the worker.
        case retireWorker
        /// A page of this server clears and leads on to an address.
        case clear(next: String)
        /// The browser is given the cookie, and sent on to an address.
        case mark(next: String)
        /// All is done; the address as it was at first.
        case leave(next: String)
        /// The page is sent, and clears.
        case clearWithPage
    }

    /// The query parameter that says how far it is.
    static let parameter = "offline-bundles.cleared="
    private static let marked = "marked"

    /// For how many seconds the proof holds, at least; at most twice as long.
    private static let window = 600.0

    /// - Parameters:
    ///   - address: Of the request, as a reference with a host.
    ///   - bundle: The bundle whose own host that is.
    ///   - cookie: What a cleared browser has.
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

    /// An address without the parameter, and the value of that.
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

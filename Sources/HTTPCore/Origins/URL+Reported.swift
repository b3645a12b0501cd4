import BundleModel
import Foundation

extension URL {
    /// The URL as messages and logs may show it: without user information, query and fragment, which may carry a secret
    /// token.
    package var reported: String { URL.reported(absoluteString) }

    /// The same for a text that may not be a URL; made safe for terminals.
    package static func reported(_ text: String) -> String {
        let visible = text.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = visible.range(of: "://") else { return Printable.text(String(visible)) }
        let authority = visible[scheme.upperBound...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return Printable.text("\(visible[..<scheme.upperBound])\(host)\(visible[authority.endIndex...])")
    }
}

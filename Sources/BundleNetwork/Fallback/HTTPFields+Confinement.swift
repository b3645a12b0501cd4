import BundleServing
import BundleStore
import HTTPTypes

extension HTTPFields {
    /// An origin's fields, confined to the bundle: without those that would affect more than it, and with cookies
    /// limited to the bundle's own paths. On a host where other bundles have pages too, cookies are dropped; on one that
    /// the bundle has for itself, what concerns the host concerns only the bundle.
    func confined(to match: ResourceMatch) -> HTTPFields {
        let scope = match.sharesHost ? nil : match.cookieScope
        let ownsHost = match.ownsHost
        var confined = HTTPFields()
        for field in self where !OriginWideField.isRefused(fromOrigin: field.name.canonicalName, ownsHost: ownsHost) {
            if field.name != .setCookie {
                confined.append(field)
            } else if let cookie = scope?.confined(field) {
                confined.append(cookie)
            }
        }
        return confined
    }
}

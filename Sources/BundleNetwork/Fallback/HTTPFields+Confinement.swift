import BundleServing
import BundleStore
import HTTPTypes

extension HTTPFields {
    /// An origin's fields, confined to the bundle: without those that would affect more than it, and with cookies
    /// limited to the bundle's own paths. On a host where other bundles have pages too, cookies are dropped.
    func confined(to match: ResourceMatch) -> HTTPFields {
        let scope = match.sharesHost ? nil : match.cookieScope
        var confined = HTTPFields()
        for field in self where !OriginWideField.names.contains(field.name.canonicalName) {
            if field.name != .setCookie {
                confined.append(field)
            } else if let cookie = scope?.confined(field.value) {
                confined.append(HTTPField(name: .setCookie, value: cookie))
            }
        }
        return confined
    }
}

import BundleServing
import BundleStore
import HTTPTypes

extension HTTPFields {
    /// What an origin says that is for the bundle alone: without the fields that would reach beyond it, and with cookies for the
    /// bundle's own paths. On a host where other bundles have pages too there are no cookies.
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

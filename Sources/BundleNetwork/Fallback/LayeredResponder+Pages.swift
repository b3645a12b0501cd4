import BundleServing
import BundleStore
import HTTPTypes

/// The fields by which pages know their release.
extension LayeredResponder {
    /// The fields that tell a page which release it is of: `Server-Timing`, which its scripts can read, and its version
    /// cookie, unless the client has that. Nil for anything but a page, and for a release that isn't active.
    ///
    /// A page below a path has the cookie a second time, for its calls: those are at the host's root.
    func pageFields(for resource: Resource, _ match: ResourceMatch, _ kind: RequestKind) -> HTTPFields? {
        guard setsVersionCookies, kind.isTopLevel, resource.layer == .active,
            MediaType(resource.mediaType)?.isPage == true
        else { return nil }
        let release = resource.asset.release
        var fields: HTTPFields = [.serverTiming: "bundle;desc=\"\(release.name)@\(release.version)\""]
        let cookie = VersionCookie(release.releaseName, of: match.publisherCookie)
        if !kind.cookies.contains(cookie) {
            fields[values: .setCookie] = [match.publicRootPath, match.pageCallPath].compactMap(\.self)
                .map(cookie.fieldValue(path:))
        }
        return fields
    }

    static func adding(_ pageFields: HTTPFields?, to response: Response) -> Response {
        guard let pageFields, [.ok, .notModified].contains(response.head.status) else { return response }
        var response = response
        response.head.headerFields.append(contentsOf: pageFields)
        return response
    }
}

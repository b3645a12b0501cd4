import BundleServing
import BundleStore
import HTTPTypes

/// The first layers: the files of the active release, and those of retained releases for the pages that began on them.
/// A value type; safe to share between threads.
struct BundledFiles: Sendable {
    /// What the bundle has for a request.
    enum Finding {
        /// A file, or a folder's address.
        case responds(ResponseStart)
        /// A file whose response takes milliseconds.
        case takesLong
        /// Nothing, but for a file that can no longer be read.
        case lacks(DamagedFile?)
    }

    /// The coded forms of files; nil to send them as they are.
    let variants: (any VariantProvider)?
    /// Whether a page gets a version cookie, so that its parts come from the same version.
    let setsVersionCookies: Bool

    /// Responds with a bundled file, as far as possible without waiting.
    func begin(_ call: LayeredRequest, _ match: ResourceMatch) -> Finding {
        guard call.isForFile else { return .lacks(nil) }
        switch match.outcome {
        case .found(let resource):
            guard call.mayTakeLong || resource.asset.hasReadyHeaderFields else { return .takesLong }
            let start = begin(call, with: resource, match)
            guard !resource.hasFaulted else { return .lacks(DamagedFile(resource.asset, of: match.release)) }
            return .responds(start)
        case .redirect(let location):
            return .responds(OwnResponses.folder(at: match.reference(to: location), call.message, match))
        case .damaged(let asset): return .lacks(DamagedFile(asset, of: match.release))
        case .missing: return .lacks(nil)
        }
    }

    private func begin(_ call: LayeredRequest, with resource: Resource, _ match: ResourceMatch) -> ResponseStart {
        let preferences = call.mayCode ? CodingPreferences(call.message.headerFields) : nil
        let pageFields = pageFields(for: resource, match, call)
        guard call.message.method == .get, preferences?.dictionary != nil,
            let wait = preferences.flatMap({ variants?.pendingDelta(of: resource.asset, for: $0) })
        else {
            let (response, source) = response(to: call.message, with: resource, match, preferences, pageFields)
            return .complete(response, source, .path)
        }
        return .waiting { _ in
            await wait()
            let (response, source) = response(to: call.message, with: resource, match, preferences, pageFields)
            return .complete(response, source)
        }
    }

    /// - Parameter preferences: The codings to choose from; nil to send the file as it is.
    private func response(
        to request: HTTPRequest,
        with resource: Resource,
        _ match: ResourceMatch,
        _ preferences: CodingPreferences?,
        _ pageFields: HTTPFields?
    ) -> (Response, ResponseSource) {
        let representation = resource.representation(variants: variants, for: preferences)
        var response = Responder.respond(to: request, with: representation).varying(with: match)
        let source = ResponseSource(ResponseSource.Layer(resource.layer), resource.asset.release)
            .coded(response, of: resource)
        if let pageFields, [.ok, .notModified].contains(response.head.status) {
            response.head.headerFields.append(contentsOf: pageFields)
        }
        return (response, source)
    }

    /// The fields that tell a page which release it is of: `Server-Timing`, which its scripts can read, and its version
    /// cookie, unless the client has that. Nil for anything but a page, and for a release that isn't active.
    ///
    /// A page below a path has the cookie a second time, for its calls: those are at the host's root.
    private func pageFields(for resource: Resource, _ match: ResourceMatch, _ call: LayeredRequest) -> HTTPFields? {
        guard setsVersionCookies, call.isTopLevel, resource.layer == .active,
            MediaType(resource.mediaType)?.isPage == true
        else { return nil }
        let release = resource.asset.release
        var fields: HTTPFields = [.serverTiming: "bundle;desc=\"\(release.name)@\(release.version)\""]
        let cookie = VersionCookie(release.releaseName, of: match.publisherCookie)
        if !call.cookies.contains(cookie) {
            fields[values: .setCookie] = [match.publicRootPath, match.pageCallPath].compactMap(\.self)
                .map(cookie.fieldValue(path:))
        }
        return fields
    }
}

extension ResponseSource.Layer {
    fileprivate init(_ layer: Resource.Layer) {
        self =
            switch layer {
            case .active: .active
            case .retained: .retained
            }
    }
}

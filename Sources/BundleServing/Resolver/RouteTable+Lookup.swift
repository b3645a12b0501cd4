import BundleStore

extension RouteTable {
    /// The file for a request, or nil.
    ///
    /// - Parameters:
    ///   - authority: Host and port in canonical form; nil when the request names none.
    ///   - path: As it was sent.
    func file(
        _ scheme: OriginURL.Scheme?,
        _ authority: UnsafeRawBufferPointer?,
        _ path: UnsafeRawBufferPointer,
        isNavigation: Bool
    ) -> Resource? {
        look(scheme, authority, path, isNavigation: isNavigation) { _, finding in
            if case .file(let resource) = finding { resource } else { nil }
        }
    }

    /// Looks a request up and passes what was found to `body`, or returns nil when no bundle covers it. All look-ups
    /// end here.
    @inline(__always)
    func look<Result>(
        _ scheme: OriginURL.Scheme?,
        _ authority: UnsafeRawBufferPointer?,
        _ path: UnsafeRawBufferPointer,
        isNavigation: Bool,
        for pages: VersionCookies = .none,
        _ body: (Covering, FileLookup.Finding) -> Result?
    ) -> Result? {
        PathBuffer.withDecoded(path, headroom: longestFolder) { path in
            guard let covering = covering(path.bytes, scheme: scheme, authority: authority),
                let inner = path.inside(covering.target.folder, after: covering.prefix.byteCount)
            else { return nil }
            let lookup = FileLookup(
                target: covering.target,
                isNavigation: isNavigation,
                page: pages.release(among: covering.target.open)
            )
            return body(covering, lookup.finding(at: inner))
        }
    }
}

extension VersionCookies {
    /// The release of the requesting page among `releases`, all of one bundle.
    fileprivate func release(among releases: [Release]) -> Release? {
        guard !areEmpty, let name = releases.first?.name, let version = version(of: name) else { return nil }
        return releases.first { $0.version.string == version }
    }
}

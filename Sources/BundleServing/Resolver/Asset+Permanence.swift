import BundleStore

extension Asset {
    /// Why browsers may keep the file without asking again; nil when they mayn't. A page never is kept, whatever its
    /// name: it leads to the files of one release.
    package var permanence: Immutability? {
        immutability.flatMap { MediaType(mediaType)?.isPage == true ? nil : $0 }
    }
}

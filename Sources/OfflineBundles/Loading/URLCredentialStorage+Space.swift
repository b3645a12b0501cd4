import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLCredentialStorage {
    /// The credential for a protection space, compared by its properties: on Linux two equal ones are different keys.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        if let credential = defaultCredential(for: space) { return credential }
        return stored(space).flatMap { space in
            defaultCredential(for: space) ?? credentials(for: space)?.min { $0.key < $1.key }?.value
        }
    }

    /// Makes a credential the default one of a protection space.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        setDefaultCredential(credential, for: stored(space) ?? space)
    }

    private func stored(_ space: URLProtectionSpace) -> URLProtectionSpace? {
        allCredentials.keys.first { other in
            other.host == space.host && other.port == space.port && other.protocol == space.protocol
                && other.realm == space.realm && other.authenticationMethod == space.authenticationMethod
                && other.isProxy() == space.isProxy()
        }
    }
}

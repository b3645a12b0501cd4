import BundleModel

/// Who may sign for a role: its keys, and how many of them must. A value type; safe to share between threads.
package struct RoleAuthority: Sendable {
    /// The keys by their names in the delegator. Those that aren't defined there, or can't be used here, are left out.
    package let keys: [ExactString: PublicKey]
    /// How many keys must have signed, at least 1. It may be more than there are.
    package let threshold: Int

    /// Reads `keyids` and `threshold` of a role.
    ///
    /// - Parameter known: The keys that the delegator defines.
    /// - Throws: `BundleError` when a member is missing or invalid.
    init(_ element: JSONElement, among known: [ExactString: PublicKey]) throws(BundleError) {
        let names = try element.required("keyids").elements(atMost: TrustLimits.roleKeyCount)
        var keys: [ExactString: PublicKey] = [:]
        for name in names {
            let name = try name.keyName()
            keys[name] = known[name]
        }
        self.keys = keys
        threshold = try element.required("threshold").positiveInteger()
    }

    /// Checks that enough keys have signed. A key counts once, also under several names (5.3.4).
    ///
    /// - Throws: ``TrustError`` with `tooFewSignatures`.
    func verify(_ document: SignedDocument) throws(TrustError) {
        let signerCount = signers(of: document).count
        guard signerCount >= threshold else {
            let count = Set(keys.values).count
            throw document.refused(
                .tooFewSignatures,
                "is signed by \(signerCount) of the \(count) keys that may sign it; \(threshold) must"
            )
        }
    }

    /// The keys that have signed a document, with the names of their signatures.
    package func signers(of document: SignedDocument) -> [PublicKey: ExactString] {
        var signers: [PublicKey: ExactString] = [:]
        for (name, signature) in document.signatures {
            guard let key = keys[name], signers[key] == nil, key.isValid(signature, of: document.payload)
            else { continue }
            signers[key] = name
        }
        return signers
    }
}

extension RoleAuthority {
    /// Reads a document that is signed by enough of the keys. That it is the latest one, and hasn't expired, is checked elsewhere.
    ///
    /// - Throws: ``TrustError``.
    package func content<Content: RoleContent>(
        of bytes: [UInt8],
        as role: RoleName,
        atMost maximumByteCount: Int
    ) throws(TrustError) -> Content {
        let document = try SignedDocument(parsing: bytes, of: role, atMost: maximumByteCount)
        try verify(document)
        return try document.content()
    }
}

extension RoleAuthority {
    /// Identifies the keys, and how many of them must sign: equal for equal authorities. The names of the keys don't count.
    package var digest: Digest {
        let keys = Set(keys.values).map { Hexadecimal.string(of: $0.bytes) }.sorted()
        return Digest(of: Array("\(threshold) \(keys.joined(separator: " "))".utf8))
    }
}

extension RoleAuthority: Equatable {
    /// Whether the same keys may sign, under any names, and as many of them must.
    package static func == (left: RoleAuthority, right: RoleAuthority) -> Bool {
        left.threshold == right.threshold && Set(left.keys.values) == Set(right.keys.values)
    }
}

extension JSONElement {
    /// The members of `keys`: the keys that can be used, by name.
    func keys() throws(BundleError) -> [ExactString: PublicKey] {
        var keys: [ExactString: PublicKey] = [:]
        for (name, element) in try members(atMost: TrustLimits.keyCount) {
            guard name.utf8.count <= TrustLimits.keyNameByteCount else { throw element.refused("has too long a name") }
            keys[ExactString(name)] = try PublicKey.read(element)
        }
        return keys
    }

    /// The name of a key. Nothing is required of it: repositories have digests, and many other names.
    func keyName() throws(BundleError) -> ExactString {
        ExactString(try text(atMost: TrustLimits.keyNameByteCount))
    }
}

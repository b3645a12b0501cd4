@testable import BundleModel
@testable import BundleTrust

/// A document that TUF accepts of some role has a canonical form that is its own, as far as that is JSON.
enum MetadataInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let limit = TrustLimits.targetsByteCount
        guard let document = try? SignedDocument(parsing: Array(bytes), of: .targets, atMost: limit) else {
            return false
        }
        // Control characters aren't escaped in canonical JSON, which isn't JSON then.
        let payload = document.payload
        if let again = try? JSONElement(
            parsing: payload,
            named: "payload",
            maximumByteCount: limit,
            refusedAs: .invalidFeed
        ) {
            let canonical = try? CanonicalJSON.bytes(of: again.value)
            precondition(canonical == payload, "a canonical form has another one")
        }
        // Refused or not, nothing of it may end the process.
        _ = try? TrustedState(anchor: Array(bytes))
        return isContent(RootContent.self, document) || isContent(TimestampContent.self, document)
            || isContent(SnapshotContent.self, document) || isContent(TargetsContent.self, document)
    }

    private static func isContent<Content: RoleContent>(_: Content.Type, _ document: SignedDocument) -> Bool {
        (try? document.content(as: Content.self)) != nil
    }
}

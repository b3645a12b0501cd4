import BundleCoding
import BundleServing
import BundleStore
import Logging

/// Makes one coded form at a time, and stores it. That may take long.
struct VariantEncoder: Sendable {
    let store: BundleStore
    let variants: VariantStore
    let logger: Logger

    /// Makes a form unless it exists already: the publisher's own, if the bundle has one that decodes to the same
    /// content, otherwise one made here.
    ///
    /// - Parameters:
    ///   - mayWrite: Whether a form may be made that has to be written.
    ///   - giveWay: Called before each piece of work; may wait, and ends the work by throwing.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` before anything is made while the store is pruned,
    ///   `storeUnavailable` when it can't be written; what `giveWay` throws.
    func make(_ key: VariantKey, of asset: Asset, mayWrite: Bool, giveWay: () throws -> Void) throws {
        if let own = ownForm(key.coding, of: asset) { return variants.adopt(own, as: key) }
        guard asset.isWorthCoding, !variants.load(key), mayWrite, let contents = asset.contents else { return }
        // The lock isn't held while a form is made, which may take half a minute.
        try variants.checkNotBusy()
        let coded = try contents.withUnsafeBytes { try encoded($0, key, asset, giveWay) }
        // A form is sent for as long as its content exists, so it must be made from exactly that: a file that is
        // truncated in the meantime reads as zeros.
        guard contents.withUnsafeBytes({ Digest(of: $0) }) == key.content, !contents.hasFaulted else { return }
        try variants.save(coded ?? [], as: key)
    }

    /// The client's file that can be the dictionary for another file: one whose name differs only in its hash, of any
    /// release that the bundle still has.
    func dictionary(_ digest: Digest, for asset: Asset) -> Asset? {
        guard let pattern = asset.versionPattern else { return nil }
        let releases = store.snapshot.bundles[asset.release.name]?.releases ?? []
        // In another release the content may have another name.
        return releases.lazy.compactMap { $0.asset(withContent: digest) }.first { $0.versionPattern == pattern }
    }

    private func encoded(
        _ bytes: UnsafeRawBufferPointer,
        _ key: VariantKey,
        _ asset: Asset,
        _ giveWay: () throws -> Void
    ) throws -> [UInt8]? {
        guard let digest = key.dictionary else {
            return try ContentEncoder.encode(bytes, as: key.coding, within: bytes.count - 1, giveWay: giveWay)
        }
        guard let dictionary = dictionary(digest, for: asset)?.contents else { return nil }
        let coded = try dictionary.withUnsafeBytes {
            try ContentEncoder.encode(bytes, from: $0, digest, within: bytes.count - 1, giveWay: giveWay)
        }
        return dictionary.withUnsafeBytes({ Digest(of: $0) }) == digest && !dictionary.hasFaulted ? coded : nil
    }

    /// The publisher's own coded form. One with other content is ignored: what a page gets must not depend on the
    /// codings that its browser accepts.
    private func ownForm(_ coding: ContentCoding, of asset: Asset) -> ByteSlice? {
        guard let sibling = asset.sibling(coding), let own = sibling.contents, let contents = asset.contents else {
            return nil
        }
        let isSame = own.withUnsafeBytes { own in
            contents.withUnsafeBytes { ContentDecoder.decodes(own, to: $0, from: coding) }
        }
        if isSame { return own }
        let (release, path) = (sibling.release, Printable.text(sibling.path))
        logger.warning(
            """
            \(release.name)@\(release.version) \(path): not \(Printable.text(asset.path)) in \(coding.token), so it is served \
            under its own name only
            """
        )
        return nil
    }
}

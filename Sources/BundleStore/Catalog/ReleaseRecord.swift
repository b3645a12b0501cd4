import Foundation
import GRDB

/// A row of the catalog: one installed version of a bundle.
struct ReleaseRecord: Sendable {
    let id: Int64
    let name: BundleName
    let version: BundleVersion
    let manifest: [UInt8]
    let index: FileIdentifier
    let contentDigest: Digest
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?
    /// Orders activations even if the clock is set back.
    let activationNumber: Int64?
    /// The version that was held back when it last became active.
    let heldVersion: BundleVersion?
    let isPinned: Bool
    /// As determined by ``InstalledRows``.
    var isActive = false

    /// The record of a release in no store.
    init(withoutFiles manifest: BundleManifest) {
        id = 0
        (name, version, self.manifest) = (manifest.name, manifest.version, [])
        index = FileIdentifier(value: 0)
        contentDigest = Digest(of: UnsafeRawBufferPointer(start: nil, count: 0))
        (fileCount, byteCount) = (0, 0)
        (installedAt, activatedAt, activationNumber) = (.distantPast, nil, nil)
        (heldVersion, isPinned, isActive) = (nil, false, true)
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the row isn't intact, or a column holds a
    ///   value that this program never writes; `RowDecodingError` when a column has another type, for which a subscript
    ///   would end the process.
    init(_ row: Row) throws {
        id = try row.decode(forColumn: "id")
        guard DigestedTable.release.isIntact(row),
            let name = BundleName(try row.decode(forColumn: "bundle")),
            let version = BundleVersion(try row.decode(String.self, forColumn: "version")),
            let index = FileIdentifier(name: try row.decode(String.self, forColumn: "indexFile")),
            let contentDigest = Digest(hex: try row.decode(String.self, forColumn: "contentDigest"))
        else {
            throw BundleError(.storeDamaged, "row \(id) of the catalog's releases is damaged")
        }
        self.name = name
        self.version = version
        manifest = Array(try row.decode(Data.self, forColumn: "manifest"))
        self.index = index
        self.contentDigest = contentDigest
        fileCount = try row.decode(forColumn: "fileCount")
        byteCount = try row.decode(forColumn: "byteCount")
        installedAt = Date(timeIntervalSince1970: try row.decode(forColumn: "installedAt"))
        activatedAt = try row.decode(Double?.self, forColumn: "activatedAt").map(Date.init(timeIntervalSince1970:))
        activationNumber = try row.decode(forColumn: "activationNumber")
        heldVersion = try row.decode(String?.self, forColumn: "heldVersion").flatMap(BundleVersion.init)
        isPinned = try row.decode(forColumn: "isPinned")
    }
}

/// A release whose files are durable, before it is added to the catalog.
struct NewRelease: Sendable {
    let name: BundleName
    let version: BundleVersion
    let manifest: [UInt8]
    let index: FileIdentifier
    let segments: [FileIdentifier]
    let contentDigest: Digest
    let fileCount: Int
    let byteCount: Int64

    /// Whether a row of the catalog, which may be damaged, was written for this release: it has either this release's
    /// content digest, which covers the manifest, or a row digest that matches once this release's columns are put in.
    func isRecorded(in row: Row) -> Bool {
        row.text("contentDigest") == contentDigest.hex
            || DigestedTable.release.isIntact(
                row,
                with: [
                    "bundle": name.string, "version": version.string, "manifest": Data(manifest),
                    "contentDigest": contentDigest.hex, "fileCount": fileCount, "byteCount": byteCount,
                ]
            )
    }
}

/// A bundle in the catalog: which of its releases is served.
struct BundleRecord: Sendable {
    let name: BundleName
    /// The row of the active release; nil when there is none.
    let active: Int64?
    /// After a rollback: versions up to this one aren't taken from the feed again.
    let heldVersion: BundleVersion?

    /// The version held back after `version` has been installed: a rollback's hold ends with a version at least as high
    /// as the one that it left, not with a lower one.
    func heldVersion(after version: BundleVersion) -> BundleVersion? {
        heldVersion.flatMap { version < $0 ? $0 : nil }
    }
}

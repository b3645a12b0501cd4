import Foundation
import GRDB

/// A release whose files are durable, about to be entered into the catalog.
struct NewRelease: Sendable {
    let name: BundleName
    let version: BundleVersion
    let manifest: [UInt8]
    let index: FileIdentifier
    let segments: [FileIdentifier]
    let contentDigest: Digest
    let fileCount: Int
    let byteCount: Int64

    /// Whether it is the release that a row of the catalog was written for. The row may be damaged: it has either the digest
    /// of this content, which covers the manifest, or its own digest once it says what it would say of this release.
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

import Foundation
import GRDB

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

import BundleArchive
import BundleInstall
import BundleStore
import BundleTar

extension ContentList {
    /// Lists the files of a release that was installed from an archive.
    ///
    /// - Parameters:
    ///   - release: The release.
    ///   - archive: The archive's path.
    ///   - digest: The archive's digest.
    ///   - options: How the archive was read.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when the archive can't be read.
    package init(
        of release: Release,
        in archive: String,
        _ digest: Digest,
        options: InstallOptions
    ) throws(BundleError) {
        let extents = try ArchiveExtents(of: archive, formats: .zipAndTar, options: options).byContent(of: release)
        var files: [File] = []
        files.reserveCapacity(release.fileCount)
        for asset in release.assets {
            guard let path = try? BundlePath(asset.path) else { continue }
            files.append(
                File(
                    path: path,
                    byteCount: Int64(asset.byteCount),
                    digest: asset.digest,
                    extent: extents[asset.digest]
                )
            )
        }
        self.init(name: release.name, version: release.version, archive: digest, files: files)
    }
}

extension ContentList {
    /// The list as JSON under Zstandard (RFC 8878): one file a line. Equal lists have equal bytes.
    ///
    /// - Returns: Nil when it would be longer than clients read.
    package func encoded() -> [UInt8]? {
        let json = JSONWriter.bytes(of: value, .lines)
        guard json.count <= Self.maximumByteCount, let bytes = ZstandardFrame.encode(json),
            bytes.count <= Self.maximumEncodedByteCount, json.count <= Self.maximumByteCount(encodedAs: bytes.count)
        else { return nil }
        return bytes
    }

    private var value: JSONValue {
        .object(
            JSONObject([
                JSONObject.Member(Key.name, .string(name.string)),
                JSONObject.Member(Key.version, .string(version.string)),
                JSONObject.Member(Key.archive, .string(archive.hex)),
                JSONObject.Member(Key.files, .array(files.map(\.value))),
            ])
        )
    }
}

extension ContentList.File {
    fileprivate var value: JSONValue {
        typealias Key = ContentList.Key
        let file = [
            JSONObject.Member(Key.path, .string(path.string)),
            JSONObject.Member(Key.size, .number(JSONNumber(byteCount))),
            JSONObject.Member(Key.digest, .string(digest.hex)),
        ]
        let place = extent.map { extent in
            [
                JSONObject.Member(Key.offset, .number(JSONNumber(extent.offset))),
                JSONObject.Member(Key.length, .number(JSONNumber(extent.byteCount))),
                JSONObject.Member(
                    Key.method,
                    .string(extent.isDeflated ? ContentList.Method.deflated : ContentList.Method.stored)
                ),
            ]
        }
        return .object(JSONObject(file + (place ?? [])))
    }
}

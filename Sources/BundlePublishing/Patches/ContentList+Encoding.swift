import BundleArchive
import BundleInstall
import BundleStore

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

import BundleInstall
import BundleStore
import Foundation

/// The manifest of a folder that is packed.
struct PackedManifest {
    let manifest: BundleManifest
    let warnings: [String]
    /// What is packed in place of the folder's `bundle.json`; nil for that as it is.
    let content: [UInt8]?

    /// Reads the manifest, and sets the name and version that the options have.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest`.
    init(of contents: FolderContents, _ folder: String, _ options: PackOptions) throws(BundleError) {
        let location = contents.files.first { $0.path.string == BundleManifest.fileName }.flatMap(\.location)
        let file = options.manifestFile
        let own = file == nil ? location.flatMap { FileManager.default.contents(atPath: $0) }.map { Array($0) } : nil
        guard let bytes = file?.content ?? own ?? options.manifest?.encoded() else {
            throw BundleError(
                .invalidManifest,
                "\(Printable.line(folder)) has no \(BundleManifest.fileName)",
                .writeManifest
            )
        }
        do throws(BundleError) {
            let name = file?.name ?? BundleManifest.fileName
            let edited = try Self.edited(bytes, named: name, options)
            let parsed = try BundleManifest.parse(edited ?? bytes, named: name)
            (manifest, warnings) = (parsed.manifest, parsed.warnings)
            content = edited ?? (own == nil ? bytes : nil)
        } catch {
            throw file == nil ? error.located(at: Printable.line(folder)) : error
        }
    }

    /// Nil when nothing is to be set. Everything else stays as it is, also what isn't known.
    private static func edited(
        _ bytes: [UInt8],
        named name: String,
        _ options: PackOptions
    ) throws(BundleError) -> [UInt8]? {
        let changes = [("name", options.name?.string), ("version", options.version?.string)]
        guard changes.contains(where: { $0.1 != nil }) else { return nil }
        let document = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: BundleManifest.maximumByteCount,
            refusedAs: .invalidManifest
        )
        guard case .object(let object) = document.value else { throw document.mismatch("an object") }
        var members = object.members
        for case (let key, let value?) in changes {
            let member = JSONObject.Member(key, .string(value))
            if let index = members.firstIndex(where: { $0.key == key }) {
                members[index] = member
            } else {
                members.append(member)
            }
        }
        return JSONWriter.bytes(of: .object(JSONObject(members)), .lines)
    }
}

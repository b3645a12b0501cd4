import BundleStore

/// The names that the build manifests of a release map from names without a hash: Vite's `manifest.json`,
/// `asset-manifest.json`, webpack's `stats.json`, esbuild's metafile. The formats differ; common to all is an object
/// that has a file's name before and after the build, as keys or values.
///
/// They may say anything: one that can't be read says nothing, and a name that looks like words is none with a hash,
/// whatever they say.
struct BuildManifests {
    private static let fileNames: Set<String> = [
        "manifest.json", "asset-manifest.json", "assets-manifest.json", "stats.json", "meta.json", "metafile.json",
    ]
    /// How many are read, and how long they may be.
    static let maximumCount = 8
    static let maximumByteCount = 1 << 20
    private static let maximumNameCount = 65_536

    private var names: Set<String> = []

    /// Whether the file at `path` has the name of one.
    static func isOne(_ path: UnsafeRawBufferPointer) -> Bool {
        path.last == UInt8(ascii: "n")
            && fileNames.contains(String(decoding: path[path.folder.count...], as: UTF8.self))
    }

    /// Reads a manifest.
    mutating func add(_ document: [UInt8]) {
        let root = try? JSONElement(
            parsing: document,
            named: "build manifest",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArchive
        )
        if let root { read(root.value, named: nil) }
    }

    /// Whether a file of this name is the output for another name.
    func name(_ fileName: some Collection<UInt8>) -> Bool {
        !names.isEmpty && names.contains(String(decoding: fileName, as: UTF8.self))
    }

    private mutating func read(_ value: JSONValue, named key: String?) {
        switch value {
        case .object(let object):
            take(texts(of: object) + [key].compactMap(\.self))
            for member in object.members { read(member.value, named: member.key) }
        case .array(let elements):
            for element in elements { read(element, named: key) }
        default: break
        }
    }

    /// The keys of an object and the texts among its values, and in lists among them.
    private func texts(of object: JSONObject) -> [String] {
        object.members.flatMap { member -> [String] in
            switch member.value {
            case .string(let text): [member.key, text]
            case .array(let elements):
                [member.key] + elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
            default: [member.key]
            }
        }
    }

    private mutating func take(_ texts: [String]) {
        var (outputs, sources): ([(name: String, source: Substring)], Set<Substring>) = ([], [])
        for text in texts {
            let name = text.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? ""
            let token = Array(name.utf8).withUnsafeBytes { NameToken(in: $0) }
            if let token, token.look > .doubtful, token.range.lowerBound > 1 {
                outputs.append((String(name), Substring(name.utf8.prefix(token.range.lowerBound - 1))))
            } else {
                sources.insert(name)
                sources.insert(name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name)
            }
        }
        for output in outputs where names.count < Self.maximumNameCount && sources.contains(output.source) {
            names.insert(output.name)
        }
    }
}

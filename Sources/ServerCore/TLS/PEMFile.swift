import BundleModel
import SystemPackage

/// The contents of a PEM file.
struct PEMFile {
    let bytes: [UInt8]

    /// No certificate chain is nearly as long.
    private static let maximumByteCount = 1 << 20

    /// - Parameters:
    ///   - kind: What the file should hold, for messages: “certificate”.
    ///   - setting: The setting that names the file.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    init(_ path: String, _ kind: String, _ setting: Remedy.Setting) throws(BundleError) {
        do {
            // A pipe would block the server.
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try file.closeAfter { try Self.read(file) }
        } catch {
            throw BundleError(
                .inputUnavailable,
                "could not read the \(kind) \(Printable.text(path)): \(error)",
                .change(setting, "name a PEM file that the server may read"),
                cause: error
            )
        }
    }

    private static func read(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { part.deallocate() }
        while bytes.count <= maximumByteCount {
            let count = try file.read(into: part)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        throw Errno.fileTooLarge
    }
}

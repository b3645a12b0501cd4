import Glibc

/// A truth value of Objective-C.
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public let boolValue: Bool
    public init(_ value: Bool) { boolValue = value }
    public init(booleanLiteral value: Bool) { boolValue = value }
}

/// What is known about a file.
public struct FileAttributeKey: Hashable, Sendable {
    let name: String
    public static let modificationDate = FileAttributeKey(name: "modificationDate")
    public static let posixPermissions = FileAttributeKey(name: "posixPermissions")
}

/// Files and folders. Thread-safe.
public struct FileManager: Sendable {
    public static let `default` = FileManager()

    public var currentDirectoryPath: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    public var temporaryDirectory: URL {
        let path = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return URL(fileURLWithPath: path)
    }

    public func fileExists(atPath path: String) -> Bool { access(path, F_OK) == 0 }

    public func fileExists(atPath path: String, isDirectory: inout ObjCBool) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        isDirectory = ObjCBool(status.st_mode & S_IFMT == S_IFDIR)
        return true
    }

    public func isReadableFile(atPath path: String) -> Bool { access(path, R_OK) == 0 }

    public func contentsOfDirectory(atPath path: String) throws -> [String] {
        guard let folder = opendir(path) else { throw POSIXError.last }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    public func contents(atPath path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return Data(bytes) }
            bytes += buffer[..<count]
        }
    }

    public func createDirectory(
        atPath path: String,
        withIntermediateDirectories: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        let mode = (attributes?[.posixPermissions] as? Int).map { mode_t($0) } ?? 0o777
        if mkdir(path, mode) == 0 { return }
        let code = errno
        if withIntermediateDirectories {
            var isFolder: ObjCBool = false
            if code == EEXIST, fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            if code == ENOENT, parent != path {
                try createDirectory(atPath: parent, withIntermediateDirectories: true, attributes: attributes)
                if mkdir(path, mode) == 0 || errno == EEXIST { return }
                throw POSIXError.last
            }
        }
        throw POSIXError(code: POSIXError.Code(rawValue: code))
    }

    /// Removes a file, or a folder with all that is in it; links aren't followed.
    public func removeItem(atPath path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw POSIXError.last }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            guard unlink(path) == 0 else { throw POSIXError.last }
            return
        }
        for name in try contentsOfDirectory(atPath: path) { try removeItem(atPath: "\(path)/\(name)") }
        guard rmdir(path) == 0 else { throw POSIXError.last }
    }

    public func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {
        guard let date = attributes[.modificationDate] as? Date else { return }
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let time = timespec(
            tv_sec: Int(exactly: seconds) ?? 0,
            tv_nsec: Int((date.timeIntervalSince1970 - seconds) * 1e9)
        )
        guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { throw POSIXError.last }
    }
}

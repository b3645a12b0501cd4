import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An archive that is being downloaded into the store, complete or partial. It is locked (flock(2)) while it is in use,
/// so that pruning can tell it from an abandoned download.
///
/// Used by one task at a time.
package final class DownloadFile: Sendable {
    private let path: FilePath
    private let descriptor: FileDescriptor

    /// Opens the file, and creates it if it is missing. Waits while another process uses it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be opened, or is a link.
    package init(_ path: String) throws(BundleError) {
        let path = FilePath(path)
        self.path = path
        do {
            descriptor = try Self.open(path)
        } catch {
            throw Self.failure(path, error)
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// The current length in bytes.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func byteCount() throws(BundleError) -> Int64 {
        try writing { Int64(try descriptor.stat().size) }
    }

    /// Truncates the file to zero length.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func truncate() throws(BundleError) {
        try writing { try descriptor.resize(to: 0) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func append(_ bytes: [UInt8]) throws(BundleError) {
        try writing { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(descriptor.stat().size), bytes) }
    }

    /// What the server said identifies the content: an entity tag or a date. It is kept beside the file, so that another
    /// process can resume the download. Nil when there is none.
    package var validator: String? { Self.validator(of: path) }

    /// The validator of the download at a path, whether or not it is in use.
    static func validator(of download: FilePath) -> String? {
        let path = validatorPath(of: download)
        guard let bytes = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec]) else {
            return nil
        }
        return try? bytes.closeAfter {
            let count = Int(min(try bytes.stat().size, Int64(maximumValidatorByteCount)))
            return String(decoding: try bytes.bytes(in: 0..<count), as: UTF8.self)
        }
    }

    /// Keeps a validator; one that is too long isn't kept.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func setValidator(_ validator: String?) throws(BundleError) {
        try writing {
            try Durable.remove(validatorPath)
            guard let validator, validator.utf8.count <= Self.maximumValidatorByteCount else { return }
            let file = try FileOwner.open(
                validatorPath,
                .writeOnly,
                options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite
            )
            _ = try file.closeAfter { try file.writeAll(validator.utf8) }
        }
    }

    private static let maximumValidatorByteCount = 1_024
    private static let validatorSuffix = ".validator"
    private var validatorPath: FilePath { Self.validatorPath(of: path) }

    private static func validatorPath(of path: FilePath) -> FilePath { FilePath("\(path)\(validatorSuffix)") }

    /// The download whose validator is kept at a path; nil when it is a download itself.
    static func download(ofValidator path: FilePath) -> FilePath? {
        path.string.hasSuffix(validatorSuffix) ? FilePath(String(path.string.dropLast(validatorSuffix.count))) : nil
    }

    /// The digest of the current content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func digest() throws(BundleError) -> Digest {
        try writing { try Digest(of: descriptor, in: 0..<Int(descriptor.stat().size)) }
    }

    /// The current content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func bytes() throws(BundleError) -> [UInt8] {
        try writing { try descriptor.bytes(in: 0..<Int(descriptor.stat().size)) }
    }

    /// Removes the file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func remove() throws(BundleError) {
        try writing {
            try Durable.remove(validatorPath)
            try Durable.remove(path)
        }
    }

    /// Whether the file is in use; also true when that can't be determined.
    static func isInUse(_ path: FilePath) -> Bool {
        if let download = download(ofValidator: path), (try? Durable.exists(download)) != false {
            return isInUse(download)
        }
        // A link is never a download.
        guard !isLink(path) else { return false }
        return withUnused(path) {} == nil
    }

    /// Removes the file unless it is in use: a process that opens it meanwhile waits.
    ///
    /// - Returns: Whether it was removed; also false when its use can't be determined.
    /// - Throws: `Errno` when it can't be removed.
    static func removeUnlessInUse(_ path: FilePath) throws -> Bool {
        // A validator goes with its download.
        if let download = download(ofValidator: path), try Durable.exists(download) { return false }
        guard !isLink(path) else {
            try Durable.remove(path)
            return true
        }
        return try withUnused(path) { () throws -> Void in
            try Durable.remove(validatorPath(of: path))
            try Durable.remove(path)
        } != nil
    }

    private static func isLink(_ path: FilePath) -> Bool {
        (try? path.stat(followTargetSymlink: false).type) == .symbolicLink
    }

    /// Runs `body` while no other process can use the file; returns nil when one does, or when that can't be
    /// determined.
    private static func withUnused<Result>(_ path: FilePath, _ body: () throws -> Result) rethrows -> Result? {
        let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
        guard let file = try? FileDescriptor.open(path, .readOnly, options: options) else { return nil }
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return try body()
    }

    private static func open(_ path: FilePath) throws -> FileDescriptor {
        while true {
            let file = try FileOwner.open(
                path,
                .readWrite,
                options: [.create, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite
            )
            do {
                _ = try FileLock.lock(file, .exclusive, waits: true)
                // Between the two calls it may have been pruned.
                let there = try? path.stat(followTargetSymlink: false)
                if try there.map(MappedFile.Identity.init) == MappedFile.Identity(file.stat()) { return file }
                try file.close()
            } catch {
                try? file.close()
                throw error
            }
        }
    }

    private func writing<Result>(_ body: () throws -> Result) throws(BundleError) -> Result {
        do { return try body() } catch { throw Self.failure(path, error) }
    }

    private static func failure(_ path: FilePath, _ cause: any Error) -> BundleError {
        let place = "the download \(path) can't be written"
        guard cause as? Errno == .tooManySymbolicLinkLevels else {
            return BundleError(.storeUnavailable, place, failure: cause)
        }
        return BundleError(.storeUnavailable, "\(place): it is a link, which isn't followed; remove it", cause: cause)
    }
}

/// What a download is: the file that is fetched, and the bundle that it is for.
///
/// Each bundle has its own. What was begun for one mustn't be continued for another: its publisher's server may have sent
/// anything, and may take as long as it is allowed to. A value type; safe to share between threads.
package struct DownloadKey: Hashable, Sendable {
    private let digest: Digest
    private let bundle: BundleName?

    /// - Parameters:
    ///   - digest: The file's digest.
    ///   - bundle: The bundle; nil for an archive that the operator names by its digest.
    package init(_ digest: Digest, of bundle: BundleName?) {
        self.digest = digest
        self.bundle = bundle
    }

    /// Its name in the store's folder of downloads.
    package var name: String { (bundle.map { "\($0)." } ?? "") + digest.hex }
}

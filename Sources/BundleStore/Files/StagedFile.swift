import SystemPackage

/// A file that is written beside its place, under a hidden name, and takes the place in one step when it is whole. When it
/// goes away unpublished, what was written is removed.
///
/// Not thread-safe.
package struct StagedFile: ~Copyable {
    /// Where to write: a path in the destination's folder that nothing has.
    package let path: String
    private let destination: FilePath

    /// Chooses the path; makes no file.
    package init(for destination: String) {
        self.destination = FilePath(destination)
        path = self.destination.hiddenSibling.string
    }

    deinit {
        try? Durable.remove(FilePath(path))
    }

    /// Gives the file its place, replacing what is there, and makes both durable.
    ///
    /// - Throws: ``BundleError`` with code `outputUnavailable`.
    package func publish() throws(BundleError) {
        do {
            let file = FilePath(path)
            let descriptor = try FileDescriptor.open(file, .readOnly, options: .closeOnExec)
            try descriptor.closeAfter { try Durable.sync(descriptor) }
            try Durable.publish(file, as: destination.folder.appending(destination.lastName))
        } catch {
            throw .unwritable(destination, error)
        }
    }

    /// Writes `bytes` as the whole file and gives it its place.
    ///
    /// - Throws: ``BundleError`` with code `outputUnavailable`.
    package func publish(_ bytes: [UInt8]) throws(BundleError) {
        do {
            let file = try BufferedFile(creating: FilePath(path))
            try file.append(bytes)
            try file.close(syncing: true)
        } catch {
            throw .unwritable(destination, error)
        }
        try publish()
    }
}

extension FilePath {
    /// The folder that holds this, `.` for a bare name.
    var folder: FilePath {
        let folder = removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    /// A path in the same folder that nothing has, hidden from a listing.
    var hiddenSibling: FilePath {
        folder.appending(".\(lastName.string).\(FileIdentifier.random().name).part")
    }

    fileprivate var lastName: FilePath.Component { lastComponent ?? "output" }
}

extension BundleError {
    static func unwritable(_ path: FilePath, _ cause: any Error) -> BundleError {
        BundleError(
            .outputUnavailable,
            "\(Printable.line(path.string)) can't be written: \(cause); check the folder, its permissions and free space",
            cause: cause
        )
    }
}

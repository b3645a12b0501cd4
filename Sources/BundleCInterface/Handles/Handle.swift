import BundleStore

/// References to objects that C holds as pointers.
enum Handle<Object: AnyObject> {
    /// A pointer that owns the object.
    static func make(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

    /// The object of a pointer that the caller holds.
    static func object(_ pointer: OpaquePointer) -> Object { unmanaged(pointer).takeUnretainedValue() }

    /// Makes the pointer own the object once more.
    static func retain(_ pointer: OpaquePointer) { _ = unmanaged(pointer).retain() }

    /// Gives up an ownership; does nothing for nil.
    static func release(_ pointer: OpaquePointer?) {
        if let pointer { unmanaged(pointer).release() }
    }

    private static func unmanaged(_ pointer: OpaquePointer) -> Unmanaged<Object> {
        Unmanaged.fromOpaque(UnsafeRawPointer(pointer))
    }
}

/// Reads what C passes.
enum CArgument {
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` unless the text is UTF-8.
    static func text(_ pointer: UnsafePointer<CChar>, _ what: String) throws(BundleError) -> String {
        guard let text = String(validatingCString: pointer) else {
            throw BundleError(.invalidArgument, "\(what) is not UTF-8; correct it")
        }
        return text
    }

    /// - Throws: As ``text(_:_:)``, and for a text that is no name of a bundle.
    static func name(_ pointer: UnsafePointer<CChar>) throws(BundleError) -> BundleName {
        let text = try text(pointer, "the bundle's name")
        guard let name = BundleName(text) else {
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” is not a bundle's name; correct it")
        }
        return name
    }

    /// - Throws: As ``text(_:_:)``, and for a text that is no version.
    static func version(_ pointer: UnsafePointer<CChar>) throws(BundleError) -> BundleVersion {
        let text = try text(pointer, "the version")
        guard let version = BundleVersion(text) else {
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” is not a version; correct it")
        }
        return version
    }

    /// A structure whose first member is its size, of this or of another version of the header: members that the caller
    /// doesn't know keep the default's value.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it is shorter than in any version.
    static func structure<Structure>(
        _ pointer: UnsafePointer<Structure>,
        default structure: Structure,
        minimum: Int,
        _ what: String
    ) throws(BundleError) -> Structure {
        let size = UnsafeRawPointer(pointer).load(as: Int.self)
        guard size >= minimum else {
            throw BundleError(.invalidArgument, "\(what) has no size; set it to the structure's")
        }
        var structure = structure
        withUnsafeMutableBytes(of: &structure) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(size, bytes.count)))
        }
        return structure
    }
}

/// What C passes for its callbacks.
///
/// The program is responsible for its being used on other threads: the header says so.
struct CContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}

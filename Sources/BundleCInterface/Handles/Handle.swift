import BundleServing
import BundleStore
import CBundle
import Foundation
import HTTPTypes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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

    /// A structure whose first member is its size. What a later version of the header has at the end isn't read.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it is shorter than it is here.
    static func structure<Structure>(
        _ pointer: UnsafePointer<Structure>,
        _ what: String
    ) throws(BundleError) -> Structure {
        guard UnsafeRawPointer(pointer).load(as: Int.self) >= MemoryLayout<Structure>.size else {
            throw BundleError(.invalidArgument, "\(what) has no size; set it to the structure's")
        }
        return pointer.pointee
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a field that isn't one.
    static func field(_ field: ob_field) throws(BundleError) -> HTTPField {
        let text = try text(field.name, "a field's name")
        guard let name = HTTPField.Name(text) else {
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” can't be a field's name; leave it out")
        }
        let value = UnsafeRawBufferPointer(start: field.value, count: strlen(field.value))
        guard HTTPField.isValidValue(value) else {
            throw BundleError(.invalidArgument, "the field \(name) has a value that isn't allowed; correct it")
        }
        return HTTPField(name: name, value: value)
    }

    /// - Throws: As ``text(_:_:)``, and for a text that is no absolute URL.
    static func url(_ pointer: UnsafePointer<CChar>, _ what: String) throws(BundleError) -> URL {
        let text = try text(pointer, what)
        guard let url = URL(string: text), url.scheme != nil else {
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” is not an absolute URL; correct it")
        }
        return url
    }
}

/// What C passes for its callbacks.
///
/// The program is responsible for its being used on other threads: the header says so.
struct CContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}

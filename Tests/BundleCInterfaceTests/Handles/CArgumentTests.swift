import BundleStore
import CBundle
import Testing

@testable import BundleCInterface

@Suite("Arguments from C")
struct CArgumentTests {
    private let defaults = ob_options(
        size: 0,
        flags: 7,
        is_metered: 0,
        cache_byte_count: -1,
        cached_body_byte_count: -1,
        shell_version: nil,
        activation: nil
    )
    private static let size = MemoryLayout<ob_options>.size

    @Test("a structure of a later header is taken as far as it is known, and one without a size is refused")
    func sizes() throws {
        // What a later header would have at the end isn't read.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.size + 64, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Self.size + 64)
        let options = memory.bindMemory(to: ob_options.self, capacity: 1)
        options.pointee = ob_options(
            size: Self.size + 64,
            flags: 1,
            is_metered: 1,
            cache_byte_count: 5,
            cached_body_byte_count: 6,
            shell_version: nil,
            activation: nil
        )
        let taken = try CArgument.structure(options, default: defaults, minimum: Self.size, "ob_options")
        #expect((taken.flags, taken.is_metered, taken.cache_byte_count) == (1, 1, 5))
        for size in [0, 1, Self.size - 1] {
            options.pointee.size = size
            #expect(throws: BundleError.self) {
                try CArgument.structure(options, default: defaults, minimum: Self.size, "ob_options")
            }
        }
    }

    @Test("a shorter structure of an earlier header keeps the defaults of what it lacks")
    func earlier() throws {
        var options = ob_options(
            size: 16,
            flags: 1,
            is_metered: 1,
            cache_byte_count: 5,
            cached_body_byte_count: 6,
            shell_version: nil,
            activation: nil
        )
        let taken = try CArgument.structure(&options, default: defaults, minimum: 16, "ob_options")
        #expect((taken.flags, taken.is_metered, taken.cache_byte_count) == (1, 1, -1))
    }

    @Test(
        "a text that isn't UTF-8 is refused, and a name and a version that aren't",
        arguments: ["", "a b", "ä/ö", "1.x"]
    )
    func texts(text: String) {
        #expect(throws: BundleError.self) { try CArgument.text([-1, 0], "the text") }
        #expect(throws: BundleError.self) { try CArgument.version(text) }
        if text != "1.x" { #expect(throws: BundleError.self) { try CArgument.name(text) } }
    }
}

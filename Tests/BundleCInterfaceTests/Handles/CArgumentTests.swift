import BundleStore
import CBundle
import Testing

@testable import BundleCInterface

@Suite("Arguments from C")
struct CArgumentTests {
    private static let size = MemoryLayout<ob_options>.size

    @Test("a structure of a later header is taken as far as it is known, and one without a size is refused")
    func sizes() throws {
        // What a later header would have at the end isn't read.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.size + 64, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Self.size + 64)
        let options = memory.bindMemory(to: ob_options.self, capacity: 1)
        options.pointee = ob_options()
        options.pointee.size = Self.size + 64
        options.pointee.cache_byte_count = 5
        #expect(try CArgument.structure(options, "ob_options").cache_byte_count == 5)
        for size in [0, 1, Self.size - 1] {
            options.pointee.size = size
            #expect(throws: BundleError.self) { try CArgument.structure(options, "ob_options") }
        }
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

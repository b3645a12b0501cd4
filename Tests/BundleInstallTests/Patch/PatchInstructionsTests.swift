import Testing

@testable import BundleInstall

@Suite("Instructions of patches")
struct PatchInstructionsTests {
    typealias Copy = PatchInstructions.Copy

    private static func instructions(_ copies: [Copy]) -> PatchInstructions {
        var instructions = PatchInstructions()
        copies.forEach { instructions.append($0) }
        return instructions
    }

    @Test(
        "are the same after they were written and read",
        arguments: [
            [],
            [Copy(addedByteCount: 0, range: 0..<1)],
            [Copy(addedByteCount: 127, range: 128..<16_384), Copy(addedByteCount: 128, range: 0..<129)],
            [Copy(addedByteCount: 1 << 26, range: (1 << 27) - 1..<1 << 27), Copy(addedByteCount: 0, range: 0..<1)],
        ]
    )
    func encoded(copies: [PatchInstructions.Copy]) {
        let instructions = Self.instructions(copies)
        let read = PatchInstructions(
            parsing: instructions.encoded,
            oldByteCount: 1 << 27,
            newByteCount: 1 << 27
        )
        #expect(read == instructions)
    }

    @Test("take a byte for a number below 128, and two below 16,384; distances go both ways")
    func bytes() {
        let instructions = Self.instructions([
            Copy(addedByteCount: 5, range: 3..<203), Copy(addedByteCount: 0, range: 202..<203),
        ])
        #expect(instructions.encoded == [5, 0xC8, 0x01, 6, 0, 1, 1])
    }

    @Test(
        "that are malformed, or don't fit the releases, are refused",
        arguments: [
            ([0], "no copy"),
            ([0, 1], "no distance"),
            ([0, 0, 0], "copies nothing"),
            ([0, 0x80], "a number that breaks off"),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 0], "a number of six bytes"),
            ([101, 1, 0], "adds more than the new release has"),
            ([0, 101, 0], "copies more than the new release has"),
            ([60, 50, 0], "both together are more"),
            ([0, 60, 0, 0, 60, 1], "two together are more"),
            ([0, 1, 1], "before the start of the old release"),
            ([0, 1, 100], "behind its end"),
            ([0, 50, 2], "across its end"),
            ([0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "far before the start"),
            ([0, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0x7F], "far behind the end"),
        ] as [([UInt8], String)]
    )
    func refused(bytes: [UInt8], why: String) {
        #expect(PatchInstructions(parsing: bytes, oldByteCount: 50, newByteCount: 100) == nil, "\(why)")
    }

    @Test("leave what they don't copy, and add what they don't copy")
    func ranges() {
        let instructions = Self.instructions([
            Copy(addedByteCount: 10, range: 40..<60), Copy(addedByteCount: 0, range: 5..<20),
            Copy(addedByteCount: 7, range: 50..<70),
        ])
        #expect(instructions.rest(ofByteCount: 100) == [0..<5, 20..<40, 70..<100])
        #expect(instructions.rest(ofByteCount: 70) == [0..<5, 20..<40])
        #expect(instructions.added(ofByteCount: 90) == [0..<10, 45..<52, 72..<90])
        #expect(instructions.added(ofByteCount: 72) == [0..<10, 45..<52])
        #expect(PatchInstructions().rest(ofByteCount: 3) == [0..<3])
        #expect(PatchInstructions().rest(ofByteCount: 0).isEmpty)
        #expect(PatchInstructions().added(ofByteCount: 0).isEmpty)
    }
}

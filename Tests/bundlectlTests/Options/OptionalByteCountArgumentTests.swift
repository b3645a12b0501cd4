import Testing

@testable import bundlectl

@Suite("OptionalByteCountArgument")
struct OptionalByteCountArgumentTests {
    @Test(
        "a whole number and a unit give a number of bytes",
        arguments: [
            ("1B", 1), ("7KB", 7_000), ("500MB", 500_000_000), ("2GB", 2_000_000_000), ("3TB", 3_000_000_000_000),
            ("9223372TB", 9_223_372_000_000_000_000),
        ] as [(String, Int64)]
    )
    func size(_ argument: String, _ byteCount: Int64) {
        #expect(OptionalByteCountArgument(argument: argument)?.byteCount == byteCount)
    }

    @Test("“off” and “none” give none", arguments: ["off", "none"])
    func none(_ argument: String) {
        #expect(OptionalByteCountArgument(argument: argument) == OptionalByteCountArgument(byteCount: nil))
    }

    @Test("a default is described as it is written", arguments: ["256MB", "off"])
    func description(_ argument: String) {
        #expect(OptionalByteCountArgument(argument: argument)?.defaultValueDescription == argument)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "5", "MB", "0B", "-1MB", "+1MB", "1.5GB", "1 MB", "1mb", "1MiB", "1PB", "9223373TB", "1KB/s", "OFF",
            "99999999999999999999B", "None",
        ]
    )
    func refused(_ argument: String) {
        #expect(OptionalByteCountArgument(argument: argument) == nil)
        #expect(throws: (any Error).self) { try OptionalByteCountArgument.parse(argument) }
    }
}

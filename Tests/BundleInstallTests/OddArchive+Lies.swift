import BundleTesting

extension OddArchive {
    /// False declarations about an entry.
    static let lies = encryption + numbers + headers + descriptors

    private static let content = OddArchiveVariant.content
    private static let sound = ZipFixtureEntry("a.js", content)
    private static let deflated = ZipFixtureEntry.deflated("a.js", content)

    private static func zip(_ change: (inout ZipFixtureEntry) -> Void) -> OddArchiveVariant { .zip(sound.with(change)) }

    private static let encryption = [
        OddArchive(
            "encrypted with ZipCrypto",
            refused: ["is encrypted"],
            [zip { $0.flags = 0x801 }, .zip(deflated.with { $0.flags = 0x801 })]
        ),
        OddArchive(
            "encrypted with AES",
            refused: ["is encrypted"],
            [
                zip { $0.method = 99 },
                zip { entry in
                    entry.flags = 0x801
                    entry.method = 99
                    entry.extraFields = aesField
                },
                zip { $0.extraFields = aesField },
            ]
        ),
        OddArchive(
            "encrypted in PKWARE's strong way, or with a masked directory",
            refused: ["is encrypted"],
            [zip { $0.flags = 0x841 }, zip { $0.flags = 0x2800 }]
        ),
    ]

    private static let aesField: [UInt8] = [0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, 8, 0]

    private static let numbers = [
        OddArchive(
            "a bad CRC",
            refused: ["don't have the CRC", "gzip checksum doesn't match"],
            [
                zip { $0.checksum = 1 }, .zip(deflated.with { $0.checksum = 1 }),
                .zip(ZipFixtureEntry("a.bin", [UInt8](repeating: 7, count: 5 << 20)).with { $0.checksum = 1 }),
                .zip(ZipFixtureEntry("__MACOSX/a", content).with { $0.checksum = 1 }),
                OddArchiveVariant(GzipFixture(TarFixture(OddArchiveVariant.soundTar).bytes, checksum: 1).bytes),
                OddArchiveVariant(
                    GzipFixture(TarFixture(OddArchiveVariant.soundTar).bytes, checksum: 1).bytes + GzipFixture([]).bytes
                ),
            ]
        ),
        OddArchive(
            "a size in gzip's trailer that isn't the data's",
            refused: ["its gzip size doesn't match"],
            [OddArchiveVariant(GzipFixture(TarFixture(OddArchiveVariant.soundTar).bytes, byteCount: 1).bytes)]
        ),
        OddArchive(
            "a bad checksum of a tar header",
            refused: ["a header's checksum doesn't match"],
            [.tar(TarFixtureEntry("a.js", content).with { $0.hasValidChecksum = false })]
        ),
        OddArchive(
            "a size that is larger than the data",
            refused: ["isn't of the size that the archive declares", "ends too early"],
            [
                zip { $0.uncompressedByteCount = 5 }, .zip(deflated.with { $0.uncompressedByteCount = 5 }),
                .zip(deflated.with { $0.uncompressedByteCount = 5 << 20 }),
                .tar(TarFixtureEntry("a.js", content).with { $0.declaredByteCount = 100_000 }),
            ]
        ),
        OddArchive(
            "a size that is smaller than the data",
            refused: ["isn't of the size that the archive declares", "is damaged"],
            [
                zip { $0.uncompressedByteCount = 2 }, .zip(deflated.with { $0.uncompressedByteCount = 2 }),
                .zip(deflated.with { $0.uncompressedByteCount = 0 }),
                .tar(TarFixtureEntry("a.js", [UInt8](repeating: 7, count: 2_000)).with { $0.declaredByteCount = 100 }),
            ]
        ),
        OddArchive(
            "a compressed size that is larger or smaller than the data",
            refused: [
                "reaches beyond the archive's end", "is damaged: its compressed data is broken or ends too early",
            ],
            [
                .zip(deflated.with { $0.compressedByteCount = 1_000 }),
                .zip(deflated.with { $0.compressedByteCount = UInt32(content.count + 4) }),
            ]
        ),
        OddArchive(
            "compressed data that ends before its size",
            refused: ["has data after the end of its compressed data"],
            [.zip(deflated.with { $0.contents += [0, 0] })]
        ),
    ]

    private static let headers = [
        OddArchive(
            "list and header disagree in the name",
            refused: ["has one name in the archive's list and another in its own header"],
            [zip { $0.localName = Array("b.js".utf8) }, zip { $0.localName = Array("../a.js".utf8) }]
        ),
        OddArchive(
            "list and header disagree in the size",
            refused: ["has one size in the archive's list and another in its own header"],
            [zip { $0.localUncompressedByteCount = 2 }, zip { $0.localUncompressedByteCount = 2_000 }]
        ),
        OddArchive(
            "list and header disagree in the CRC",
            refused: ["has one CRC in the archive's list and another in its own header"],
            [zip { $0.hasLocalNumbers = false }]
        ),
        OddArchive(
            "list and header disagree in the method",
            refused: ["has one compression method in the archive's list and another in its own header"],
            [zip { $0.localMethod = 8 }, .zip(deflated.with { $0.localMethod = 0 })]
        ),
        OddArchive(
            "list and header disagree in the name's encoding",
            refused: ["has one name's encoding in the archive's list and another in its own header"],
            [.zip(ZipFixtureEntry("größe.js", content).with { $0.localFlags = 0 })]
        ),
        OddArchive(
            "a patch for another file",
            refused: ["is a patch for another file"],
            [zip { $0.flags = 0x820 }]
        ),
        OddArchive(
            "a second name in the extra fields",
            refused: ["has a second name in its extra fields"],
            [zip { $0.extraFields = unicodePath("../a.js") }]
        ),
        OddArchive(
            "a UTF-8 name in the extra fields, for one of unknown encoding",
            takenIn: ["größe.js": "odd"],
            [
                .zip(
                    ZipFixtureEntry(name: [0x67, 0x72, 0x94, 0xE1, 0x65], contents: content).with { entry in
                        entry.flags = 0
                        entry.extraFields = unicodePath("größe.js", for: entry.name)
                    }
                )
            ]
        ),
        OddArchive(
            "a folder, by its name or mode, that has data",
            refused: ["is a folder, by its name or attributes, but has data"],
            [
                .zip(ZipFixtureEntry("a/", content)),
                .zip(OddArchiveVariant.zipFolder("a").with { $0.contents = content }),
            ]
        ),
    ]

    /// Info-ZIP's Unicode Path field (APPNOTE 6.3.10, section 4.6.9).
    private static func unicodePath(_ path: String, for name: [UInt8] = Array("a.js".utf8)) -> [UInt8] {
        let field = [1] + Checksum.crc32(of: name).littleEndianBytes + Array(path.utf8)
        return [0x75, 0x70, UInt8(field.count), 0] + field
    }

    private static let descriptors = [
        OddArchive(
            "a data descriptor, with or without signature, of 32 or 64 bits",
            takenIn: ["a.js": "odd"],
            [sound, deflated].flatMap { entry in
                [[], Array("PK\u{7}\u{8}".utf8)].flatMap { signature in
                    [described(entry, signature, as: UInt32.self), described(entry, signature, as: UInt64.self)]
                }
            }
        ),
        OddArchive(
            "a data descriptor that lies, or is missing",
            refused: ["has one size or CRC in the archive's list and another after its data"],
            [
                described(deflated.with { $0.checksum = 1 }, [], as: UInt32.self, checksum: 2),
                described(deflated, [], as: UInt32.self, byteCount: 2),
                zip { entry in
                    entry.flags = 0x808
                    entry.hasLocalNumbers = false
                },
            ]
        ),
    ]

    /// The entry with its numbers after its data (APPNOTE 6.3.10, section 4.3.9), of which some may be wrong.
    private static func described<Number: FixedWidthInteger & UnsignedInteger>(
        _ entry: ZipFixtureEntry,
        _ signature: [UInt8],
        as _: Number.Type,
        checksum: UInt32 = Checksum.crc32(of: content),
        byteCount: Int = content.count
    ) -> OddArchiveVariant {
        .zip(
            entry.with { entry in
                entry.flags = 0x808
                entry.hasLocalNumbers = false
                entry.trailer =
                    signature + checksum.littleEndianBytes + Number(entry.contents.count).littleEndianBytes
                    + Number(byteCount).littleEndianBytes
            }
        )
    }
}

extension FixedWidthInteger {
    /// The number's bytes, lowest first, as in a zip.
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }
}

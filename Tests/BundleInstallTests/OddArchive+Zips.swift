import BundleTesting

extension OddArchive {
    /// Zips whose parts don't fit together, or are arranged unusually.
    static let oddZips = layouts + junk + zip64

    private static let entry = ZipFixtureEntry("a.js", OddArchiveVariant.content)
    /// The number of bytes of a zip's end record without a comment.
    private static let endByteCount = 22

    private static let layouts = [
        OddArchive(
            "entries that share their bytes",
            refused: ["has entries that share bytes, as a decompression bomb does"],
            [
                .zip { $0.entries = [entry, repeated(entry, at: 0)] + $0.entries },
                .zip { fixture in
                    let quoted = ZipFixtureEntry("quoted.bin", Array(ZipFixture([entry]).bytes))
                    fixture.entries = [quoted, repeated(entry, at: 30 + 10)] + fixture.entries
                },
            ]
        ),
        OddArchive(
            "many names for the bytes of one entry",
            refused: ["has one name in the archive's list and another in its own header"],
            [OddArchiveVariant(DecompressionBomb.overlappingEntries(count: 500, sharedByteCount: 1_000))]
        ),
        OddArchive(
            "a directory that lists what the data lacks",
            refused: ["lies outside of the archive", "isn't where the archive's list says"],
            [
                .zip(entry.with { $0.isPresent = false }), .zip(repeated(entry, at: 5)),
                .zip(repeated(entry, at: .max - 1)),
            ]
        ),
        OddArchive(
            "data that the directory doesn't list",
            refused: ["has data before its first entry", "has data that its list of entries doesn't mention"],
            [
                .zip { $0.entries.insert(entry.with { $0.isListed = false }, at: 0) },
                .zip { $0.entries.insert(entry.with { $0.isListed = false }, at: 1) },
                .zip(entry.with { $0.isListed = false }),
            ]
        ),
        OddArchive(
            "a wrong number of entries",
            refused: ["entries but lists more", "its list of entries is too short for them"],
            [.zip { $0.declaredEntryCount = 1 }, .zip { $0.declaredEntryCount = 3 }]
        ),
        OddArchive(
            "one part of several (multi-disk)",
            refused: ["is one part of a split zip", "is a split zip archive"],
            [
                patched(endByteCount - 4, [1, 0, 1, 0]), patched(endByteCount - 8, [1, 0]),
                OddArchiveVariant(Array("PK\u{7}\u{8}".utf8) + ZipFixture(OddArchiveVariant.soundZip).bytes),
                OddArchiveVariant(Array("PK00".utf8) + ZipFixture(OddArchiveVariant.soundZip).bytes),
            ]
        ),
        OddArchive(
            "compressed in a way that isn't supported",
            refused: [
                "is compressed with Deflate64", "is compressed with Zstandard", "is compressed with an unknown method",
            ],
            [9, 93, 77].map { method in .zip(entry.with { $0.method = method }) }
        ),
    ]

    private static let junk = [
        OddArchive(
            "junk before",
            refused: ["isn't an archive, or its start is damaged", "or has data before or after it"],
            [
                .zip { $0.prefix = Array("#!/bin/sh\n".utf8) },
                .zip { $0.prefix = Array("PK\u{3}\u{4} and more".utf8) },
                OddArchiveVariant(Array("#!/bin/sh\n".utf8) + TarFixture(OddArchiveVariant.soundTar).bytes),
            ]
        ),
        OddArchive(
            "junk between entries",
            refused: ["has data that its list of entries doesn't mention", "is damaged"],
            [
                .zip { $0.entries[0].trailer = [0] },
                .zip { $0.entries[1].trailer = Array("junk".utf8) },
                OddArchiveVariant(junkInTar),
            ]
        ),
        OddArchive(
            "junk after",
            refused: [
                "has data after its end", "has data after its last entry", "its xz data is broken",
                "or has over 64 KB of data after its end",
            ],
            [
                .zip { $0.suffix = [1] }, .zip { $0.suffix = Array("junk".utf8) },
                .zip { $0.suffix = [UInt8](repeating: 1, count: 70_000) }, OddArchiveVariant(junkAfterTar),
            ]
                + OddArchiveVariant.compressed { $0 + Array("junk behind the end".utf8) }
        ),
        OddArchive(
            "zeros after, as bsdtar adds them in a pipe",
            refused: ["has zeros after its end, as bsdtar writes them to a pipe"],
            [
                OddArchiveVariant(GzipFixture(TarFixture(OddArchiveVariant.soundTar).bytes).bytes + zeros),
                OddArchiveVariant(ZstandardFixture(TarFixture(OddArchiveVariant.soundTar).bytes).bytes + zeros),
                .zip { $0.suffix = [0] }, .zip { $0.suffix = [UInt8](repeating: 0, count: 70_000) },
                .zip { fixture in
                    fixture.comment = Array("made by hand".utf8)
                    fixture.suffix = zeros
                },
            ]
        ),
        OddArchive(
            "zeros after a tar, or an xz",
            takenIn: [:],
            [OddArchiveVariant(TarFixture(OddArchiveVariant.soundTar).bytes + zeros)]
                + OddArchiveVariant.compressed { $0 + zeros }.suffix(1)
        ),
        OddArchive(
            "another archive after",
            refused: [
                "or has data before or after it", "has data after its last entry", "has data after its end",
            ],
            [
                .zip { $0.suffix = ZipFixture([entry]).bytes },
                OddArchiveVariant(TarFixture(OddArchiveVariant.soundTar).bytes + TarFixture([.init("a", [1])]).bytes),
            ] + OddArchiveVariant.compressed { $0 + ZipFixture([entry]).bytes }.prefix(2)
                + OddArchiveVariant.compressed { $0 + TarFixture([.init("a", [1])]).bytes }.prefix(2)
        ),
        OddArchive(
            "another archive's end in the comment",
            refused: ["has two end records, one in the comment of the other"],
            [.zip { $0.comment = ZipFixture([]).bytes }]
        ),
        OddArchive("a comment", takenIn: [:], [.zip { $0.comment = Array("made by hand".utf8) }]),
    ]

    private static let zeros = [UInt8](repeating: 0, count: 1_024)

    private static var junkInTar: [UInt8] {
        let tar = TarFixture(OddArchiveVariant.soundTar).bytes
        return tar.prefix(1_024) + [UInt8](repeating: 0x6A, count: 512) + tar.dropFirst(1_024)
    }

    private static var junkAfterTar: [UInt8] {
        var tar = TarFixture(OddArchiveVariant.soundTar)
        tar.suffix = Array("junk".utf8)
        return tar.bytes
    }

    private static let zip64 = [
        OddArchive(
            "zip64 without contradiction",
            takenIn: ["a.js": "odd"],
            [
                .zip { $0.entries.append(wide(sizes: (3, 3))) },
                .zip { fixture in
                    fixture.entries.append(wide(sizes: (3, 3)))
                    fixture.hasZip64EndRecord = true
                },
                .zip(entry.with { $0.extraFields = wide(sizes: (3, 3)).extraFields }),
            ]
        ),
        OddArchive(
            "zip64 sizes that contradict",
            refused: ["gives sizes that contradict each other", "isn't of the size that the archive declares"],
            [
                .zip(wide(sizes: (3, 3)).with { $0.extraFields = [] }),
                .zip(wide(sizes: (4, 4)).with { $0.compressedByteCount = 3 }),
                .zip(wide(sizes: (3, .max))), .zip(wide(sizes: (3, 4))),
            ]
        ),
        OddArchive(
            "a zip64 end that contradicts",
            refused: [
                "its list of entries isn't where its end says", "but its list of entries is too short for them",
                "is one part of a split zip",
            ],
            [
                patchedWideEnd(at: 48, [1]), patchedWideEnd(at: 24, [9, 0, 0, 0, 0, 0, 0, 0, 9]),
                patchedWideEnd(at: 16, [1]), patchedWideEnd(at: 56 + 8, [1]),
                patchedWideEnd(at: 56 + 20 + 16, [1, 0, 0, 0]),
            ]
        ),
    ]

    /// A record for an entry whose header is at `offset`.
    private static func repeated(_ entry: ZipFixtureEntry, at offset: UInt32) -> ZipFixtureEntry {
        entry.with { entry in
            entry.isPresent = false
            entry.localHeaderOffset = offset
        }
    }

    /// An entry whose size and compressed size are in its ZIP64 field.
    private static func wide(sizes: (UInt64, UInt64)) -> ZipFixtureEntry {
        entry.with { entry in
            entry.extraFields = [1, 0, 16, 0] + sizes.0.littleEndianBytes + sizes.1.littleEndianBytes
            entry.compressedByteCount = .max
            entry.uncompressedByteCount = .max
        }
    }

    /// A zip with other bytes at this distance from its end.
    private static func patched(_ distance: Int, _ bytes: [UInt8]) -> OddArchiveVariant {
        patched(ZipFixture(OddArchiveVariant.soundZip), distance, bytes)
    }

    /// A zip with other bytes in its ZIP64 end record, or in the data after it.
    private static func patchedWideEnd(at offset: Int, _ bytes: [UInt8]) -> OddArchiveVariant {
        var fixture = ZipFixture(OddArchiveVariant.soundZip)
        fixture.hasZip64EndRecord = true
        return patched(fixture, 56 + 20 + endByteCount - offset, bytes)
    }

    private static func patched(_ fixture: ZipFixture, _ distance: Int, _ bytes: [UInt8]) -> OddArchiveVariant {
        OddArchiveVariant { _ in
            var archive = fixture.bytes
            let start = archive.count - distance
            archive.replaceSubrange(start..<start + bytes.count, with: bytes)
            return archive
        }
    }
}

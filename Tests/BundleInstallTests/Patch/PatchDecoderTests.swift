import BundleStore
import BundleTesting
import Testing
import Zstandard

@testable import BundleInstall

@Suite("Decoding a patch")
struct PatchDecoderTests {
    private static let result = Digest(of: Array("the new release".utf8))
    private static let text = String(repeating: "let stock = fetch('/api/stock')\n", count: 40)

    @Test("copies from the old release, and adds what is compressed beside it")
    func result() async throws {
        try await withPatch { store, old, patch in
            let result = try decode(patch, from: old, in: store)
            #expect(result.listing.elementsEqual("listing,".utf8))
            #expect(result.contents.elementsEqual(Array(old.bytes[3..<50]) + Array("tail\(Self.text)".utf8)))
        }
    }

    @Test("refuses a patch that breaks off, goes on, or is for another release", arguments: [-1, 1, 20])
    func refused(change: Int) async throws {
        try await withPatch { store, old, patch in
            var patch = patch
            switch change {
            case -1: patch.removeLast()
            case 1: patch.append(0)
            default: patch[change] ^= 1
            }
            let error = #expect(throws: BundleError.self) { try decode(patch, from: old, in: store) }
            #expect(error?.code == .invalidFeed)
        }
    }

    private func decode(_ patch: [UInt8], from old: WholeContent, in store: BundleStore) throws -> PatchDecoder.Result {
        try patch.withUnsafeBytes { try PatchDecoder.decode($0, from: old, to: Self.result, in: store) }
    }

    /// A patch from an installed release to one that copies a part of it, between two texts.
    private func withPatch(_ body: (BundleStore, WholeContent, [UInt8]) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            try store.install(try .sample("shop", "1.0.0"), files: ["app.js": Self.text])
            let release = try #require(store.snapshot.bundles["shop"]?.active)
            let old = try #require(try WholeContent(of: release, in: store))
            let added = Array("listing,tail\(Self.text)".utf8)
            var instructions = PatchInstructions()
            instructions.append(.init(addedByteCount: 8, range: 3..<50))
            let header = PatchHeader(
                base: old.filesDigest,
                result: Self.result,
                listingByteCount: 8,
                wholeByteCount: UInt64(added.count + instructions.copiedByteCount)
            )
            let prefix = try old.gather(instructions.rest(ofByteCount: old.bytes.count))
            let frame = try #require(ZstandardFrame.encode(instructions.encoded))
            try body(store, old, header.encoded + frame + (try Self.compressed(added, after: prefix)))
        }
    }

    private static func compressed(_ content: [UInt8], after prefix: ScratchFile) throws -> [UInt8] {
        let encoder = try #require(ZSTD_createCCtx())
        defer { ZSTD_freeCCtx(encoder) }
        ZSTD_CCtx_refPrefix(encoder, prefix.bytes.baseAddress, prefix.bytes.count)
        let bound = ZSTD_compressBound(content.count)
        return withExtendedLifetime(prefix) {
            [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
                count = ZSTD_compress2(encoder, buffer.baseAddress, bound, content, content.count)
            }
        }
    }
}

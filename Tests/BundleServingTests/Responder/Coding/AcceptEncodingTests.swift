import BundleStore
import Testing

@testable import BundleServing

@Suite("AcceptEncoding (RFC 9110 §12.5.3)")
struct AcceptEncodingTests {
    @Test(
        "the best coding comes first, and unacceptable ones aren't listed",
        arguments: [
            // §12.5.3: no field; any coding is acceptable, and here none is used.
            (nil, "identity"),
            // §12.5.3: an empty field accepts no coding.
            ("", "identity"), (" \t", "identity"), (",", "identity"), (" , ,", "identity"),
            ("gzip", "gzip identity"), ("br", "br identity"), ("zstd", "zstd identity"), ("identity", "identity"),
            // Fields that browsers send. Equal weights: the server's own preference.
            ("gzip, deflate, br, zstd", "br zstd gzip identity"), ("gzip, deflate", "gzip identity"),
            ("zstd,gzip,br", "br zstd gzip identity"), ("gzip,identity", "gzip identity"),
            // §12.4.2: weights.
            ("br;q=0.5, gzip;q=0.8", "gzip br identity"), ("br;q=0.001, gzip;q=0.002", "gzip br identity"),
            ("gzip;q=1.000, br;q=0.999", "gzip br identity"), ("gzip;q=1., br;q=0.", "gzip identity"),
            ("gzip;q=1.0, identity; q=0.5, *;q=0", "gzip identity"), ("identity;q=0.5, gzip;q=0.2", "identity gzip"),
            // §12.5.3 rule 3: zero is “not acceptable”.
            ("br;q=0", "identity"), ("gzip;q=0, br", "br identity"), ("gzip;q=0.000", "identity"),
            // §12.5.3 rule 2: identity is acceptable unless excluded.
            ("identity;q=0", ""), ("*;q=0", ""), ("*;q=0, identity", "identity"), ("br, identity;q=0", "br"),
            ("identity;q=0, *", "br zstd gzip"), ("br, *;q=0", "br"),
            // §12.5.3: “*” is any coding that isn't named.
            ("*", "br zstd gzip identity"), ("br;q=0, *", "zstd gzip identity"),
            ("*;q=0.5, gzip", "gzip br zstd identity"),
            // §8.4.1: names in any case; §8.4.1.3: the older name of gzip.
            ("GZip", "gzip identity"), ("x-gzip", "gzip identity"), ("X-GZIP;Q=0.5, BR;q=0.4", "gzip br identity"),
            // §5.6.1.2 and §5.6.3: empty members and white space.
            (" gzip ,\t, br ; q=0.9 ,", "gzip br identity"),
            // Unknown codings, and malformed members.
            ("deflate, compress", "identity"), ("gzip;q=2", "identity"), ("gzip;q=-1, br", "br identity"),
            ("gzip;q=0.1234", "identity"), ("gzip;q=", "identity"), ("gzip;q", "identity"), ("gzip;", "identity"),
            ("gzip;level=9", "identity"), ("gzip;q=1;x=y", "identity"), ("gzip br", "identity"),
            ("\"gzip\"", "identity"),
            ("gzip;q=1,5", "gzip identity"), ("gzipp, brr, zst", "identity"), (";q=1", "identity"),
            ("gzip\u{0}", "identity"),
            // Named twice: the last weight counts.
            ("gzip, gzip;q=0", "identity"), ("gzip;q=0, gzip", "gzip identity"),
        ] as [(String?, String)]
    )
    func order(_ fieldValue: String?, _ expected: String) {
        #expect(AcceptEncoding(fieldValue).map(\.token).joined(separator: " ") == expected)
    }

    @Test(
        "any bytes can be read",
        arguments: [[0xFF], [0x2C, 0x3B, 0x3D], [0x67, 0x7A, 0x3B], Array(repeating: 0x3B, count: 999)]
    )
    func bytes(_ bytes: [UInt8]) {
        let accepted = bytes.withUnsafeBytes { AcceptEncoding($0) }
        #expect(Array(accepted) == [.identity])
    }

    @Test("fields that mean the same are equal")
    func equality() {
        #expect(AcceptEncoding("gzip, deflate, br") == AcceptEncoding("br;q=1.0,gzip"))
        #expect(AcceptEncoding("gzip") != AcceptEncoding("br"))
        #expect(AcceptEncoding(nil) == .identityOnly)
        #expect(AcceptEncoding("") == .identityOnly)
        #expect(AcceptEncoding("*;q=0").accepts(.identity) == false)
        #expect(MemoryLayout<AcceptEncoding>.size == 4)
    }
}

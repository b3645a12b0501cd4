import Testing

@testable import BundleUpdate

@Suite("The documents of an object store")
struct S3XMLTests {
    private static let listing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A listing. -->
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
          <Name>shop</Name><Prefix>a/</Prefix><IsTruncated>true</IsTruncated><NextContinuationToken>x&#47;&#x3d;=</NextContinuationToken>
          <Contents><Key>a/b &amp; &lt;c&gt;.zip</Key><ETag>&quot;e1&#34;</ETag><Size>5</Size><Owner><ID>me</ID></Owner></Contents>
          <CommonPrefixes><Prefix>a/sub/</Prefix></CommonPrefixes>
          <Contents><Size>6</Size><Key>a/ü.zip</Key><ETag>&apos;</ETag><Empty/></Contents>
        </ListBucketResult>
        """

    private func records(_ name: String, _ text: String) throws -> [[String: String]] {
        try S3XML.records(name, in: Array(text.utf8))
    }

    @Test func `have records with texts`() throws {
        #expect(
            try records("Contents", Self.listing) == [
                ["Key": "a/b & <c>.zip", "ETag": "\"e1\"", "Size": "5", "Owner": ""],
                ["Size": "6", "Key": "a/ü.zip", "ETag": "'", "Empty": ""],
            ]
        )
        let page = try records("ListBucketResult", Self.listing)
        #expect(page.count == 1 && page[0]["NextContinuationToken"] == "x/==" && page[0]["Prefix"] == "a/")
        #expect(try records("Error", Self.listing) == [])
    }

    @Test func `may have prefixes of namespaces, and a byte order mark`() throws {
        let text = "\u{FEFF}<s3:Error xmlns:s3='a>b'><s3:Code >SlowDown</s3:Code\n></s3:Error>\n"
        #expect(try records("Error", text) == [["Code": "SlowDown"]])
    }

    @Test func `have the first of several elements of one name, and only those at their place`() throws {
        let text = "<Error><Code>A</Code><Code>B</Code><Other><Error><Code>C</Code></Error></Other></Error>"
        #expect(try records("Error", text) == [["Code": "A", "Other": ""]])
    }

    @Test(
        "are refused when they aren't whole, or have what the store's never have",
        arguments: [
            "", " ", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a></a>x", "x<a/>", "<a", "<a b='>", "<a>&amp</a>",
            "<a>&nbsp;</a>",
            "<a>&#0xZ;</a>", "<a>&#xD800;</a>", "<a>&#1114112;</a>", "<a>&#;</a>", "<a>&#00000000000000000065;</a>",
            "<?xml", "<!-- <a/>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a><![CDATA[b]]></a>", "<>", "< a/>", "<1/>", "<a<b>/>",
            String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
        ]
    )
    func refused(_ text: String) {
        #expect(throws: S3XML.Malformed.self) { try records("a", text) }
    }

    @Test func `are refused when a text isn't UTF-8`() {
        #expect(throws: S3XML.Malformed.self) {
            try S3XML.records("a", in: Array("<a><b>".utf8) + [0xFF] + Array("</b></a>".utf8))
        }
    }

    @Test func `have entities for what would be mistaken for a tag`() throws {
        let text = "\"a<b>&amp;\""
        #expect(try records("a", "<a><b>\(S3XML.escaped(text))</b></a>") == [["b": text]])
    }
}

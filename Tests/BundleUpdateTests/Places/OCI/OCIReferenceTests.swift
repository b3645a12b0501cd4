import BundleModel
import Foundation
import Testing

@testable import BundleUpdate

/// What is a reference to a feed in a registry, and where it leads.
struct OCIReferenceTests {
    @Test(arguments: [
        ("oci://registry.example.com/shop", "oci://registry.example.com/shop:feed", "https://registry.example.com"),
        (
            "OCI://Registry.Example.com:443/a/b:Canary", "oci://registry.example.com/a/b:Canary",
            "https://registry.example.com"
        ),
        (
            "oci://r.example:5000/a.b_c__d---e/f0:1.0_x-y", "oci://r.example:5000/a.b_c__d---e/f0:1.0_x-y",
            "https://r.example:5000"
        ),
        ("oci://localhost:5000/shop", "oci://localhost:5000/shop:feed", "http://localhost:5000"),
        ("oci://127.8.0.1/shop", "oci://127.8.0.1/shop:feed", "http://127.8.0.1"),
        ("oci://[::1]:5000/shop", "oci://[::1]:5000/shop:feed", "http://[::1]:5000"),
        ("oci://10.0.0.1:5000/shop", "oci://10.0.0.1:5000/shop:feed", "https://10.0.0.1:5000"),
        ("oci://docker.io/acme/shop", "oci://docker.io/acme/shop:feed", "https://registry-1.docker.io"),
    ])
    func `names a registry, a repository and a tag`(_ text: String, _ whole: String, _ origin: String) throws {
        let reference = try OCIReference(text)
        #expect(reference.description == whole)
        #expect(reference.origin == origin)
        #expect(try OCIReference(whole) == reference)
        let feed = try #require(reference.feedURL)
        #expect(feed.absoluteString == whole + "/feed.json")
        #expect(OCIReference(feed: feed) == reference)
    }

    @Test(arguments: [
        "", "shop", "https://registry.example.com/shop", "oci://", "oci://registry.example.com",
        "oci://registry.example.com/", "oci:///shop", "oci://user:secret@registry.example.com/shop",
        "oci://registry.example.com:0/shop", "oci://registry.example.com:port/shop", "oci://re gistry/shop",
        "oci://r/Shop", "oci://r/a//b", "oci://r/a/", "oci://r/-a", "oci://r/a-", "oci://r/a___b", "oci://r/a..b",
        "oci://r/a._b", "oci://r/../b", "oci://r/a%2Fb", "oci://r/a?b", "oci://r/a#b", "oci://r/ä", "oci://r/a:",
        "oci://r/a:-x", "oci://r/a:.x", "oci://r/a:x+y", "oci://r/a:x/y", "oci://r/a:x:y", "oci://r/a:ä",
        "oci://r/a@sha256:0000000000000000000000000000000000000000000000000000000000000000",
        "oci://r/a:\(String(repeating: "x", count: 129))", "oci://r/\(String(repeating: "x", count: 254))",
    ])
    func `is nothing else, and a refusal shows no password`(_ text: String) {
        let error = #expect(throws: BundleError.self) { try OCIReference(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(arguments: [
        ("shop-1.0.0.zip", "shop-1.0.0.zip"), ("shop-1.0.0%2Bx.zip", "shop-1.0.0+x.zip"), ("./a.zip", "a.zip"),
        ("/a.zip", nil), ("../feed2/a.zip", nil), ("b/a.zip", nil), ("b%2Fa.zip", nil), ("..%2Fa", nil),
        ("a.zip?x", nil),
        ("a.zip#x", nil), ("https://elsewhere.example.com/a.zip", nil),
        ("oci://other.example.com/shop:feed/a.zip", nil),
        ("oci://registry.example.com/shop:other/a.zip", nil), ("%20", nil), ("%5C", nil), ("%00", nil),
    ])
    func `leads to the files beside the feed alone`(_ text: String, _ title: String?) throws {
        let reference = try OCIReference("oci://registry.example.com/shop")
        let feed = try #require(reference.feedURL)
        let url = try #require(URL(string: text, relativeTo: feed)?.absoluteURL)
        #expect(reference.title(of: url) == title)
    }

    @Test(arguments: [
        ("a.zip", true), ("oci://registry.example.com/shop:feed/b.zip", true), ("https://cdn.example.com/c.zip", true),
        ("../other:feed/a.zip", false), ("http://cdn.example.com/c.zip", false), ("file:///etc/passwd", false),
    ])
    func `a feed names what is beside it, or on a server`(_ source: String, _ isTaken: Bool) throws {
        let feed = try #require(try OCIReference("oci://registry.example.com/shop").feedURL)
        let digest = String(repeating: "0", count: 64)
        let text =
            #"{"name": "shop", "versions": [{"version": "1.0.0", "src": "\#(source)", "size": 1, "sha256": "\#(digest)"}]}"#
        if isTaken {
            _ = try Feed.parse(Array(text.utf8), baseURL: feed)
        } else {
            #expect(throws: BundleError.self) { try Feed.parse(Array(text.utf8), baseURL: feed) }
        }
    }

    @Test(arguments: [
        "feed.json", "oci://r/shop/feed.json", "https://r/shop:feed/feed.json", "oci://r/shop:feed",
        "oci://r/shop:feed/",
    ])
    func `another URL is no feed's`(_ text: String) throws {
        #expect(OCIReference(feed: try #require(URL(string: text))) == nil)
    }
}

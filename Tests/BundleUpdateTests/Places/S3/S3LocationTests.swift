import BundleStore
import Foundation
import Testing

@testable import BundleUpdate

@Suite("The address of a place in a bucket")
struct S3LocationTests {
    @Test(
        "is a bucket and a prefix",
        arguments: [
            ("s3://shop", "s3://shop", "s3://shop/feed.json", ""),
            ("s3://shop/", "s3://shop", "s3://shop/feed.json", ""),
            ("S3://my.shop-1/a/b/", "s3://my.shop-1/a/b", "s3://my.shop-1/a/b/feed.json", "a/b/"),
            ("s3://shop/%66eeds", "s3://shop/feeds", "s3://shop/feeds/feed.json", "feeds/"),
            (
                "s3://shop/a%20b+c/%C3%BC", "s3://shop/a%20b%2Bc/%C3%BC", "s3://shop/a%20b%2Bc/%C3%BC/feed.json",
                "a b+c/ü/"
            ),
        ]
    )
    func parts(_ text: String, _ description: String, _ feed: String, _ prefix: String) throws {
        let location = try S3Location(text)
        #expect("\(location)" == description && location.feedURL.absoluteString == feed)
        #expect(location.keyPrefix == prefix && location.key(of: "feed.json") == prefix + "feed.json")
        #expect(try S3Location(description) == location)
        #expect(S3Location(ofFeed: location.feedURL) == location)
    }

    @Test(
        "is refused when S3 has no such bucket or key, or another program would read it differently",
        arguments: [
            "", "shop", "https://shop/a", "s3:/shop", "s3:///a", "s3://", "s3://ab", "s3://Shop", "s3://shop_1",
            "s3://-shop",
            "s3://shop-", "s3://.shop", "s3://sh..op", "s3://192.168.5.4", "s3://xn--shop", "s3://sthree-shop",
            "s3://\(String(repeating: "a", count: 64))", "s3://shop:80/a", "s3://user@shop/a",
            "s3://user:secret@shop/a",
            "s3://shop//a", "s3://shop/a//", "s3://shop/.", "s3://shop/a/../b", "s3://shop/a/%2e%2E/b",
            "s3://shop/a%2Fb",
            "s3://shop/a%00", "s3://shop/a%0A", "s3://shop/a%7F", "s3://shop/a%", "s3://shop/a%zz", "s3://shop/%FF",
            "s3://shop/ü",
            "s3://shop/a b", "s3://shop/a?versionId=1", "s3://shop/a#b", "s3://shop?list-type=2",
            "s3://shop/\(String(repeating: "a", count: 1_025))",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: BundleError.self) { try S3Location(text) }
        #expect(error?.code == .invalidArgument && error?.message.contains("secret") == false)
    }

    @Test(
        "tells the keys of the URLs below it",
        arguments: [
            ("s3://shop/a/feed.json", "a/feed.json"), ("s3://shop/a/b/c.zip", "a/b/c.zip"),
            ("s3://shop/a/%C3%BC%20+", "a/ü +"),
            ("S3://shop/a/feed.json", "a/feed.json"),
            ("s3://shop/a", nil), ("s3://shop/a/", nil), ("s3://shop/a/b/", nil), ("s3://shop/ab/feed.json", nil),
            ("s3://other/a/feed.json", nil), ("s3://shop/a/feed.json?x", nil), ("s3://shop/a/%2e%2e/feed.json", nil),
            ("https://shop/a/feed.json", nil), ("file:///a/feed.json", nil),
        ] as [(String, String?)]
    )
    func keys(_ url: String, _ key: String?) throws {
        let location = try S3Location("s3://shop/a")
        #expect(location.key(of: try #require(URL(string: url))) == key)
    }

    @Test func `resolves the relative references of a feed below it`() throws {
        let location = try S3Location("s3://shop/a")
        let archive = try #require(URL(string: "shop-1.0.0.zip", relativeTo: location.feedURL)?.absoluteURL)
        #expect(location.key(of: archive) == "a/shop-1.0.0.zip")
        let outside = try #require(URL(string: "../b/shop.zip", relativeTo: location.feedURL)?.absoluteURL)
        #expect(location.key(of: outside) == nil)
    }

    @Test func `encodes a key as S3 signs it`() {
        #expect(S3Location.path(ofKey: "a/b c+ü/~._-$=&") == "a/b%20c%2B%C3%BC/~._-%24%3D%26")
    }
}

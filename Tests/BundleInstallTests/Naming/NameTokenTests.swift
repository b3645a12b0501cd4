import Testing

@testable import BundleInstall

@Suite("The part of a file's name that may be a hash")
struct NameTokenTests {
    @Test(
        "is the last that a bundler could have written",
        arguments: [
            ("assets/index-BxZ9dK2f.js", "BxZ9dK2f", NameToken.Alphabet.base64),
            ("index.D4f8aQzr.js", "D4f8aQzr", .base64),
            ("chunk-SVP7TREG.951Z6Nag.js", "951Z6Nag", .base64), ("chunk-SVP7TREG.js", "SVP7TREG", .base32),
            ("Index-BH4Fz-pt.js", "BH4Fz-pt", .base64), ("precisionDate-CfCevjl-.js", "CfCevjl-", .base64),
            ("_nuxt/BxZ9dK2f.js", "BxZ9dK2f", .base64), ("bundle.d7400e89.min.js.map", "d7400e89", .hexadecimal),
            ("1909.7487a09fefbe7f9eabb6.js.LICENSE.txt", "7487a09fefbe7f9eabb6", .hexadecimal),
            ("26683bf201fb258a2237.woff", "26683bf201fb258a2237", .hexadecimal),
            ("assets/app-4f3a9c21.css.gz", "4f3a9c21", .hexadecimal), ("calendar-Internet.js", "Internet", .base64),
        ]
    )
    func token(path: String, text: String, alphabet: NameToken.Alphabet) throws {
        let token = try #require(NameToken(of: path))
        #expect(String(decoding: token.text, as: UTF8.self) == text)
        #expect(token.alphabet == alphabet)
        #expect(String(decoding: Array(path.utf8)[token.range], as: UTF8.self) == text)
    }

    @Test(
        "isn't there in other names",
        arguments: [
            "", "/", ".", "..", "index.html", "BxZ9dK2f", "app.js", "a/BxZ9dK2f/app.js",
            "é-BxZ9dK2.js",
            "app.4f3a9c2.js", "indexBxZ9dK2f.js", "2024_03_05_121699507574_add_column.py",
            "\(String(repeating: "a", count: 300))-BxZ9dK2f.js",
        ]
    )
    func noToken(path: String) {
        #expect(NameToken(of: path) == nil)
    }

    @Test(
        "is written by people, if a word, a number or a name says so",
        arguments: [
            "lib-OAuth2v1.js", "price-2026Q1v2.js", "MyComponent-Story1Ab.js", "calendar-Internet.js",
            "app-settings.js",
            "date.oxendict.js", "theme-darkMode.css", "view-FullPage.js", "en-GB-Version2.js", "x-CHECKLIS.js",
            "IMG-20231105.jpg", "scan-2026112001.png", "deadbeef.js", "icon-ff00ff00.svg", "photo-facadeda.jpg",
            "lib-iPhone15.js", "text-Base64Id.js", "chunk-2d0a4c5e.js", "lang-de-DE-v1.js", "x.zh-Hant1.js",
            "img-550e8400-e29b-41d4-a716-446655440000.png",
        ]
    )
    func written(path: String) throws {
        #expect(try #require(NameToken(of: path)).look == .written)
    }

    @Test(
        "is doubtful, if it has a word and more",
        arguments: ["x-BIpRENEC.js", "x-DNEtAlif.js", "x-Dhvdkkyb.js", "x-BurlucRW.js", "x-XMLParse.js"]
    )
    func doubtful(path: String) throws {
        #expect(try #require(NameToken(of: path)).look == .doubtful)
    }

    @Test(
        "may be either, which its siblings decide",
        arguments: [
            "index-DormvYxC.js", "x-iOS17Pro.js", "x-x86Win64.js", "x-WebGL2Ex.js", "x-a1b2c3d4.js", "x-20261120a.js",
            "x-decade90.js", "Index-BH4Fz-pt.js", "x-0f8fad5bd9cb469fa16570867728950e.json", "chunk-SVP7TREG.js",
        ]
    )
    func possible(path: String) throws {
        let look = try #require(NameToken(of: path)).look
        #expect(look == .possible || path == "chunk-SVP7TREG.js" && look == .unusual)
    }

    @Test(
        "is one that nobody writes, if it changes often enough",
        arguments: [
            "index-BxZ9dK2f.js", "x.DbR9xQ2k.js", "app.4f3a9c21.js", "7487a09fefbe7f9eabb6.js", "main.4f3a9c21.min.css",
        ]
    )
    func random(path: String) throws {
        #expect(try #require(NameToken(of: path)).look == .random)
    }
}

extension NameToken {
    init?(of path: String) {
        guard let token = Array(path.utf8).withUnsafeBytes({ NameToken(in: $0) }) else { return nil }
        self = token
    }
}

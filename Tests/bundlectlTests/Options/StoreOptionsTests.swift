import ArgumentParser
import Testing

@testable import bundlectl

struct StoreOptionsTests {
    @Test(
        "the option takes precedence over the variable, and the variable over the data folder",
        arguments: [
            (["--store", "/a"], ["BUNDLECTL_STORE": "/b", "HOME": "/h"], "/a"),
            ([], ["BUNDLECTL_STORE": "/b", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/b"),
            ([], ["BUNDLECTL_STORE": "", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/bundlectl"),
            ([], ["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/bundlectl"),
            ([], ["XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/bundlectl"),
        ]
    )
    func path(_ arguments: [String], _ environment: [String: String], _ expected: String) throws {
        let options = try StoreOptions.parse(arguments)
        #expect(options.path(environment: environment) == expected)
    }
}

import Testing

@testable import OfflineBundles

@Suite("A list of cookies")
struct SetCookieListTests {
    @Test(
        "is taken apart at the commas between cookies",
        arguments: [
            ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("", []), (", ,", [", ,"]),
            ("a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT, b=2", ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "b=2"]),
            ("a=1,2,3; Path=/", ["a=1,2,3; Path=/"]), ("a=\"x, y\", b=2", ["a=\"x, y\"", "b=2"]),
        ]
    )
    func values(_ joined: String, _ values: [String]) {
        #expect(SetCookieList.values(in: joined) == values)
    }
}

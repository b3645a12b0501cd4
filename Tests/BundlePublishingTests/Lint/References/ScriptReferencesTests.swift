import Testing

@testable import BundlePublishing

@Suite("What a script refers to")
struct ScriptReferencesTests {
    private func find(_ script: String) -> [String] {
        ScriptReferences.find(in: Array(script.utf8)).map { "\($0.kind) \($0.text)" }
    }

    @Test(
        "imports, in all forms",
        arguments: [
            ("import './a.js'", ["specifier ./a.js"]), ("import a from \"./a.js\";", ["specifier ./a.js"]),
            ("import{a as b,c}from'./a.js'", ["specifier ./a.js"]),
            ("import a, * as b from './a.js'", ["specifier ./a.js"]),
            ("import a from './a.json' with {type: 'json'}", ["specifier ./a.json"]),
            ("export * from './a.js'", ["specifier ./a.js"]),
            ("export {a, b as default} from './a.js'", ["specifier ./a.js"]),
            ("export * as a from './a.js'", ["specifier ./a.js"]),
            ("const a = await import('./a.js')", ["specifier ./a.js"]), ("import(`./a.js`)", ["specifier ./a.js"]),
            ("import(/* webpack */ './a.js', {})", ["specifier ./a.js"]),
            ("import('./' + a)", ["specifier ./"].filter { _ in false }),
            ("new URL('a.png', import.meta.url)", ["location a.png"]),
            ("new Worker(new URL(\"w.js\",import.meta.url))", ["location w.js"]),
            ("import.meta.resolve('./a.js')", ["resolution ./a.js"]),
            ("f(import.meta.resolve(\"a\",b))", ["resolution a"]),
            ("import.meta.resolve(`./a.js`)", ["resolution ./a.js"]),
            ("import\n.meta\n.resolve(\n'./a.js'\n)", ["resolution ./a.js"]),
            ("//# sourceMappingURL=a.js.map", ["sourceMap a.js.map"]),
            ("a\n/*# sourceMappingURL=b.map */", ["sourceMap b.map"]),
        ]
    )
    func imports(_ script: String, _ references: [String]) {
        #expect(find(script) == references)
    }

    @Test(
        "what only looks like one isn't",
        arguments: [
            "// import './a.js'", "/* import './a.js' */", "'import \"./a.js\"'", "`import './a.js' ${b}`",
            "a.import('./a.js')",
            "import(a)", "import.meta.url", "export default from", "export const from = './a.js'",
            "export function f() { return './a.js' }",
            "/import '.\\/a.js'/", "x = a / b; y = 'import' / c", "new URL('a.png', base)",
            "import.meta.resolve('./' + a)", "import.meta.resolve(a)", "a.meta.resolve('./a.js')",
            "const a = {from: './a.js'}", "export {a}; './a.js'",
            "`${`import './a.js'`}`", "return /[/]'import\"/.test(x)", "#!/usr/bin/env import './a.js'",
        ]
    )
    func others(_ script: String) {
        #expect(find(script) == [])
    }

    @Test(
        "what follows templates and expressions is found",
        arguments: [
            "`a${b}c`; import('./a.js')", "`${{a: `${1}`}}`;import('./a.js')", "x = /['\"]/g; import('./a.js')",
            "a = 1 / 2 / 3; import('./a.js')",
            "if (a) { b() } import('./a.js')", "f(a)/2; import('./a.js')", "'\\''; import('./a.js')",
            "'a\\\r\nb';import('./a.js')",
        ]
    )
    func behind(_ script: String) {
        #expect(find(script) == ["specifier ./a.js"])
    }

    @Test(
        "a script that ends anywhere is read to its end",
        .timeLimit(.minutes(5)),
        arguments: [
            String(repeating: "`${", count: 20_000), String(repeating: "{", count: 50_000),
            String(repeating: "/", count: 50_000),
            String(repeating: "import ", count: 20_000), String(repeating: "}", count: 50_000), "`", "'\\", "/[",
            "import('", "new URL('", String(repeating: "/[", count: 10_000), String(repeating: "a/[", count: 10_000),
            String(repeating: "(", count: 10_000) + String(repeating: "}", count: 10_000),
            String(repeating: "[(", count: 10_000) + String(repeating: ")", count: 10_000),
            String(repeating: "`${(", count: 10_000) + String(repeating: "}`", count: 10_000),
            String(repeating: "import('", count: 10_000), String(repeating: "import(\\'", count: 10_000),
            String(repeating: "a?", count: 10_000), String(repeating: "/*", count: 10_000),
            String(repeating: "\n/*", count: 10_000), String(repeating: "if(", count: 10_000),
            String(repeating: "function(", count: 10_000), String(repeating: "x=>{", count: 10_000), "`\\", "/\\",
            "\"\\\r\n",
        ]
    )
    func hostile(_ script: String) {
        _ = find(script)
    }
}

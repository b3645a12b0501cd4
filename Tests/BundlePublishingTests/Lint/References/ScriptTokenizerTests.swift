import Testing

@testable import BundlePublishing

@Suite("Slashes, quotes and backquotes in scripts")
struct ScriptTokenizerTests {
    private func find(_ script: String) -> [String] {
        ScriptReferences.find(in: Array(script.utf8)).map { "\($0.kind) \($0.text)" }
    }

    private func isWhole(_ script: String) -> Bool {
        var tokenizer = ScriptTokenizer(Array(script.utf8))
        while tokenizer.next() != nil {}
        return tokenizer.isWhole
    }

    @Test(
        "a slash begins a regular expression where a statement or an operand is due",
        arguments: [
            "if(x)R", "while(x)R", "for(;;)R", "for(const a of b)R", "for await(const a of b)R", "with(x)R",
            "if((a)&&f(b))R", "if(x)y();else R", "do R;while(x)", "do{}while(x)R", "{}R", "if(x){}R",
            "if(x){}else{}R", "try{}finally{}R", "switch(x){case R:}", "switch(x){case 1:R}", "switch(x){default:R}",
            "switch(x){}R", "switch(x){case a?b:c:{}R}", "a:R", "a:{}R", "function f(){}R",
            "async function f(a={}){}R", "function*f(){}R", "class A{}R", "class A extends f({}){}R",
            "class A{static{R}}", "export default class{}R", "export default function(){}R", "x=>R", "x=()=>{}\nR",
            "a?R:b", "a?b:R", "a??R", "[...R]", "`${R}`", "a=[R]", "f(R)", "({a:R})", "({if(x){}}),R", "a&&R", "!R",
            "yield R", "await R", "for(x of R);", "a in R", "throw R", "return R", "var a={},b=R",
            "x=y\nfunction f(){}R", "a?.5:R", "`${{}}`,R", "a+++R", "{if(x)R}", "f(function(){if(x)R})",
            "(()=>{if(x)R})()", "`${()=>{if(x)R}}`", "x={a(){if(x)R}}", "class A{b(){}c(){if(x)R}}",
        ]
    )
    func regularExpressions(_ place: String) {
        for expression in [#"/["]/.test(x)"#, "/[`]/.test(x)", #"/\/'/u"#, "/`/", "/(/", "/[/{]/"] {
            let script = place.replacing("R", with: expression) + #";import("./a.js");var a="";b=`a`"#
            #expect(find(script) == ["specifier ./a.js"], "\(script)")
            #expect(isWhole(script), "\(script)")
        }
    }

    @Test(
        "a slash divides behind an operand",
        arguments: [
            "a", "1", "f(x)", "a[0]", "'a'", "`a`", "`${a}`", "a.if(x)", "a?.while(x)", "a.return", "this.#in", "x++",
            "x--", "(a=b)", "x={}", "x={a:{}}", "(function(){})", "x=function(){}", "x=async function(){}",
            "x=class{}", "x=class A extends f({}){}", "!function(){}()", "x=a?{}:{}", "/a/g", "f(a,{})", "[{}]",
            "x={if(y){}}", "new A", "x=y?.a", "return{}", "of", "x={function:1,b:f(c)}", "`${{}}`", "super(x)",
            "import.meta", "x=`a${b}c${d}`", "x=y?{a:{}}:{b:{}}", "x={class:1,if:2}",
        ]
    )
    func divisions(_ operand: String) {
        // Read as a regular expression, the first slash would take all up to the second one.
        let script = operand + #"/2;import("./a.js");a=b/c"#
        #expect(find(script) == ["specifier ./a.js"])
        #expect(isWhole(script))
    }

    @Test(
        "after a wrong guess, what follows is found all the same",
        arguments: [
            "x = a\n/[`]/.test(x)\n", "x = a\n/[`]/.test(x)\nb = `c`;", "(a)/[`]/.test(x);", "(a)/[\"]/.test(x)\n",
            "a = 'b\n", "(a)/[/*]/.test(x);", "a = `", "a = `${", "(a)/[`]/;b=`${c}`;",
            "x = a /`/; b = `don't`\n", "}`", "f(]`", "a = /[\n`",
        ]
    )
    func wrongGuesses(_ script: String) {
        #expect(find(script + "import(\"./a.js\")") == ["specifier ./a.js"])
        #expect(find(script + "import {a} from './a.js'") == ["specifier ./a.js"])
        #expect(find(script + "new URL(`./a.js`, import.meta.url)") == ["location ./a.js"])
        #expect(find(script + "\n//# sourceMappingURL=a.map") == ["sourceMap a.map"])
    }

    @Test("in a script that can't be read as a whole, comments have no references, and each reference is found once")
    func fragments() {
        let script = """
            import './a.js'
            /* import('./x.js')
               import('./x.js') */ // import('./x.js')
              // import('./x.js')
            import('./b.js'); import(`./${b}.js`); import('./b.js' + c); f("import('./c.js"); a = `
            export * from './d.js'
            """
        #expect(find(script) == ["specifier ./a.js", "specifier ./b.js", "specifier ./d.js"])
    }
}

import BundleTesting
import Foundation

/// A small app that esbuild builds: an entry, a style, and a part that is loaded later, all with hashed names.
struct BuiltApp {
    /// The app's folder; the build is its `dist`.
    let folder: String

    init(in directory: TemporaryDirectory) async throws {
        folder = try directory.write(
            tree: [
                "src/style.css": "h1 { color: rebeccapurple; font-family: sans-serif }\n",
                "src/part.js": "export const ready = () => { document.documentElement.dataset.ready = 'true'; };\n",
                "src/main.js": """
                import './style.css';
                import { text } from './text.js';
                document.querySelector('h1').textContent = text;
                import('./part.js').then(({ ready }) => ready());

                """,
                "build.sh": """
                set -eu
                rm -rf dist
                esbuild src/main.js --bundle --splitting --format=esm --minify --log-level=error --outdir=dist/assets \\
                    --entry-names='[name]-[hash]' --chunk-names='[name]-[hash]'
                cd dist
                for script in assets/main-*.js; do
                    echo "<!doctype html><html lang=en><title>Shop</title><link rel=icon href=data:,>" \\
                        "<link rel=stylesheet href=/$(echo assets/main-*.css)><h1></h1>" \\
                        "<script type=module src=/$script></script>" > index.html
                done

                """,
            ],
            to: "app"
        )
    }

    /// Builds the app again, as Vite does it, with a page that says `text`.
    func build(saying text: String) async throws {
        try "export const text = '\(text)';\n".write(toFile: folder + "/src/text.js", atomically: true, encoding: .utf8)
        let result = try await ChildProcess.run("sh", ["build.sh"], currentDirectory: folder)
        guard result.exitCode == 0 else { throw BuildFailure(output: result.errorOutput) }
    }

    struct BuildFailure: Error {
        let output: String
    }
}

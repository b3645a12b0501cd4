/// The style of ``OverviewPage``.
enum OverviewStyle {
    static let text = """
        :root {
            color-scheme: light dark;
            --text: #1b1f24;
            --quiet: #57606a;
            --line: #d8dde2;
            --page: #f6f7f9;
            --card: #ffffff;
            --accent: #0757b8;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --text: #e8eaed;
                --quiet: #a3abb3;
                --line: #343a41;
                --page: #16191d;
                --card: #1f2328;
                --accent: #82b4ff;
            }
        }
        body {
            margin: 0;
            background: var(--page);
            color: var(--text);
            font: 1rem/1.5 system-ui, sans-serif;
        }
        main { max-width: 60rem; margin: 0 auto; padding: clamp(1rem, 5vw, 3rem) 1rem; }
        h1 { margin: 0 0 1.5rem; font-size: 1.5rem; font-weight: 600; letter-spacing: -0.01em; }
        ul {
            display: grid;
            grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr));
            gap: 1rem;
            margin: 0;
            padding: 0;
            list-style: none;
        }
        li {
            position: relative;
            display: flex;
            gap: 1rem;
            padding: 1rem;
            border: 1px solid var(--line);
            border-radius: 0.75rem;
            background: var(--card);
        }
        li:hover:has(a) { border-color: var(--accent); }
        li > div { min-width: 0; }
        img, .letter { flex: none; width: 3rem; height: 3rem; border-radius: 0.6rem; object-fit: contain; }
        .letter {
            display: grid;
            place-content: center;
            background: var(--accent);
            color: var(--card);
            font-size: 1.5rem;
            font-weight: 600;
        }
        h2 { margin: 0; font-size: 1.0625rem; font-weight: 600; overflow-wrap: anywhere; }
        h2 a { color: inherit; text-decoration: none; }
        h2 a::after { content: ""; position: absolute; inset: 0; border-radius: 0.75rem; }
        h2 a:focus-visible { outline: none; }
        h2 a:focus-visible::after { outline: 3px solid var(--accent); outline-offset: 2px; }
        .version { color: var(--quiet); font-weight: 400; font-variant-numeric: tabular-nums; }
        p { margin: 0; }
        .state, .hint { color: var(--quiet); }
        .address { color: var(--accent); font-size: 0.875rem; overflow-wrap: anywhere; }
        code { font: 0.875em ui-monospace, monospace; }
        """
}

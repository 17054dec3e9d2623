import { Marked, type Token } from 'marked';

const NAVIGATION = [
  ['/docs/', 'Reference'],
  ['/docs/guide', 'Guide'],
  ['/docs/guide#errors', 'Errors'],
  ['/docs/sandbox', 'Sandbox'],
  ['/docs/operating', 'Operating'],
  ['/docs/embedded-postgres', 'Embedded PostgreSQL'],
  ['/docs/register', 'Register'],
  ['/docs/glossary', 'Glossary'],
] as const;

/** The page of the reference. @param version of Scalar's script, so that browsers may keep it for ever */
export function renderReference(version: string): string {
  return page(
    'Kundebok API reference',
    `<div id="app"></div>
<noscript><p class="guide">The reference needs JavaScript. The same description as JSON: <a href="/api/v1/openapi.json">openapi.json</a>.</p></noscript>
<script src="/docs/js/scalar.js?v=${version}"></script>
<script src="/docs/js/start.js"></script>`,
  );
}

/** A page of `docs/` as HTML; links to files that are not served become plain text. */
export function renderGuide(markdown: string, name: string, served: readonly string[]): string {
  const marked = new Marked({
    gfm: true,
    walkTokens: (token) => rewriteLink(token, served),
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
  return page(
    `${title} · Kundebok`,
    `<main class="guide">${marked.parse(markdown, { async: false })}</main>`,
  );
}

function page(title: string, body: string): string {
  const links = NAVIGATION.map(([href, text]) => `<a href="${href}">${text}</a>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="Kundebok: companies, contacts, notes, tasks and offers over a JSON interface">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/styles.css">
</head>
<body>
<nav class="bar" aria-label="Documentation">
<strong>Kundebok</strong>
${links}
</nav>
${body}
</body>
</html>
`;
}

/** Anchors as GitHub makes them, so that links work in both places. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** `guide.md#errors` becomes `/docs/guide#errors`; what is not served keeps its text alone. */
function rewriteLink(token: Token, served: readonly string[]): void {
  if (token.type !== 'link' || /^(https?:|#|\/)/.test(token.href)) return;
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(token.href) ?? [];
  if (served.includes(name)) token.href = `/docs/${name}${anchor}`;
  else Object.assign(token, { type: 'text', raw: token.text });
}

/** Starts Scalar. Nothing leaves for elsewhere, and nothing asks for a key: keys are kept out of browsers. */
export const START_SCRIPT = `Scalar.createApiReference('#app', {
  url: '/api/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideTestRequestButton: true,
  hideClientButton: true,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;

export const STYLES = `:root {
  color-scheme: light dark;
  --scalar-custom-header-height: 48px;
  --text: light-dark(#1c2526, #e4eaea);
  --muted: light-dark(#556062, #9aa6a7);
  --surface: light-dark(#ffffff, #121717);
  --raised: light-dark(#f3f6f6, #1b2222);
  --line: light-dark(#dbe2e2, #2b3536);
  --accent: light-dark(#0e6b74, #62c3cd);
}
body {
  margin: 0;
  background: var(--surface);
  color: var(--text);
  font: 15px/1.55 system-ui, sans-serif;
}
.bar {
  position: sticky;
  top: 0;
  z-index: 10;
  box-sizing: border-box;
  height: 48px;
  padding: 0 16px;
  display: flex;
  gap: 20px;
  align-items: center;
  overflow-x: auto;
  white-space: nowrap;
  background: var(--surface);
  border-bottom: 1px solid var(--line);
}
a { color: var(--accent); }
.bar a { text-decoration: none; padding: 6px 0; }
.bar a:hover { text-decoration: underline; }
.guide { max-width: 860px; margin: 0 auto; padding: 16px 20px 64px; }
.guide h1 { font-size: 26px; line-height: 1.25; }
.guide h2 { font-size: 20px; margin-top: 40px; }
.guide :is(h1, h2, h3) { scroll-margin-top: 60px; }
.guide :is(pre, code) { background: var(--raised); border-radius: 6px; font: 13px/1.5 ui-monospace, monospace; }
.guide code { padding: 1px 4px; overflow-wrap: anywhere; }
.guide pre { padding: 12px 16px; overflow-x: auto; }
.guide :is(pre, td, th) code { overflow-wrap: normal; }
.guide pre code { padding: 0; }
.guide table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 14px; }
.guide :is(th, td) { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
`;

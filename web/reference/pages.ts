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

/** The API reference. @param version of Scalar's script, which browsers may cache forever */
export function renderReference(version: string): string {
  return page(
    'Kundebok API reference',
    `<div id="app"></div>
<noscript><p class="guide">The reference needs JavaScript. The same description as JSON: <a href="/api/v1/openapi.json">openapi.json</a>.</p></noscript>
<script src="/docs/js/scalar.js?v=${version}"></script>
<script type="module" src="/docs/js/start.js"></script>`,
  );
}

/** A page of `docs/` as HTML. @param served names of the pages of `docs/`: other links become plain text */
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
    `<main class="guide">${marked.parse(markdown, { async: false })}</main>
<script type="module" src="/docs/js/address.js"></script>`,
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
<meta name="description" content="Kundebok: companies, contacts, notes, tasks and offers over a JSON API">
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

/** An anchor as GitHub makes it, so that links work in both places. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** `guide.md#errors` becomes `/docs/guide#errors`; a link to a file that is not served becomes its text. */
function rewriteLink(token: Token, served: readonly string[]): void {
  if (token.type !== 'link' || /^(https?:|#|\/)/.test(token.href)) return;
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(token.href) ?? [];
  if (served.includes(name)) token.href = `/docs/${name}${anchor}`;
  else Object.assign(token, { type: 'text', raw: token.text });
}

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../service.ts';

const tokens = await readFile(`${ROOT}web/tokens.css`, 'utf8');
const values = new Map(
  [...tokens.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name!, value!]),
);

const TEXT = 4.5;
const CONTROL = 3;

const SURFACES = ['surface', 'surface-raised', 'surface-sunken', 'surface-hover'];
const SOFT = ['accent-soft', 'danger-soft', 'warning-soft', 'success-soft'];

/** Foregrounds with the backgrounds they stand on. */
const PAIRS: [contrast: number, fore: string, backs: string[]][] = [
  [TEXT, 'text', [...SURFACES, ...SOFT, 'surface-pressed', 'surface-selected']],
  [TEXT, 'text-muted', [...SURFACES, 'surface-selected']],
  [TEXT, 'accent-text', [...SURFACES, 'accent-soft', 'surface-selected']],
  [TEXT, 'danger', ['surface', 'surface-raised', 'surface-sunken', 'danger-soft']],
  [TEXT, 'warning', ['surface', 'surface-raised', 'surface-sunken', 'warning-soft']],
  [TEXT, 'success', ['surface', 'surface-raised', 'surface-sunken', 'success-soft']],
  [TEXT, 'on-accent', ['accent', 'accent-hover', 'accent-pressed']],
  [TEXT, 'on-danger', ['danger']],
  // The tip has the colours of text, turned round.
  [TEXT, 'surface', ['text']],
  [CONTROL, 'line-control', ['surface', 'surface-raised', 'surface-sunken']],
  [CONTROL, 'accent', ['surface', 'surface-raised', 'surface-sunken']],
  [CONTROL, 'focus', [...SURFACES, ...SOFT, 'surface-pressed', 'surface-selected']],
];

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(PAIRS)('at least %f : 1 for %s', (least, fore, backs) => {
    const low = backs.flatMap((back) => {
      const contrast = contrastOf(colorOf(fore, theme), colorOf(back, theme));
      return contrast < least ? [`${fore} on ${back}: ${contrast.toFixed(2)}`] : [];
    });
    expect(low).toEqual([]);
  });
});

test('contrasts are computed as WCAG does', () => {
  expect(contrastOf([1, 0, 0], [0, 0, 0])).toBeCloseTo(21, 1);
  // #767676, known as the lightest grey that is legible on white.
  expect(contrastOf([1, 0, 0], [0.5645, 0, 0])).toBeCloseTo(4.54, 1);
});

/** The pages below /docs are no part of the application: their one style sheet stands alone. */
const APART = /tokens\.css|dist\/|public\/docs\//;

test('no other style sheet has a raw colour or size', async () => {
  const paths = globSync('web/**/*.css', { cwd: ROOT }).filter((path) => !APART.test(path));
  const raw = await Promise.all(
    paths.map(async (path) => {
      const css = (await readFile(ROOT + path, 'utf8')).replaceAll(/\/\*[^]*?\*\/|@media[^{]*/g, '');
      const found = css.match(
        /#[\da-f]{3,8}\b(?=[;\s,)])|\b(?:rgb|hsl|oklch|oklab)a?\(|\b[1-9]\d*(?:\.\d+)?(?:px|rem)\b/gi,
      );
      return (found ?? []).map((value) => `${path}: ${value}`);
    }),
  );
  expect(raw.flat()).toEqual([]);
});

type Oklch = [lightness: number, chroma: number, hue: number];

function colorOf(name: string, theme: 'light' | 'dark'): Oklch {
  let value = values.get(`--${name}`);
  for (let at = 0; at < 9 && value !== undefined && !value.startsWith('oklch'); at++) {
    const [, light, dark] = /^light-dark\((var\(.+?\)), (var\(.+?\))\)$/.exec(value) ?? [];
    value =
      light && dark ? (theme === 'light' ? light : dark) : values.get(/^var\((.+)\)$/.exec(value)?.[1] ?? '');
  }
  const numbers = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/
    .exec(value ?? '')
    ?.slice(1)
    .map(Number);
  if (!numbers) throw new Error(`--${name} is no colour: ${value}`);
  return numbers as Oklch;
}

function contrastOf(one: Oklch, other: Oklch): number {
  const [high, low] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Relative luminance of an OKLCH colour in sRGB (CSS Color 4, section 10). */
function luminanceOf([lightness, chroma, hue]: Oklch): number {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s;
  const within = [red, green, blue].map((part) => Math.min(1, Math.max(0, part))) as [number, number, number];
  return 0.2126 * within[0] + 0.7152 * within[1] + 0.0722 * within[2];
}

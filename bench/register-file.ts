import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { hasValidCheckDigit } from '../src/register/check-digit.ts';
import { inventRecord } from './register-record.ts';

/** Characters gathered before they are handed on. */
const BATCH = 256 * 1024;

/** The first eight digits begin with 3, as those of no real company do. Branches have a block of their own. */
const FIRST_STEM = { units: 30_000_000, branches: 35_000_000 };
const STEM_STEP = 3;

/**
 * Writes a file as the register's `lastned` gives it: one array of invented units, printed as Jackson prints,
 * gzipped where the name ends in .gz. The same arguments give the same file.
 * @returns bytes before packing
 */
export async function writeRegisterFile(
  path: string,
  { units, branches = false }: { units: number; branches?: boolean },
): Promise<number> {
  const file = createWriteStream(path);
  const packed = path.endsWith('.gz') ? createGzip({ level: 6, chunkSize: BATCH }) : undefined;
  packed?.pipe(file);
  const out: Writable = packed ?? file;
  let size = 0;
  let text = '[ ';
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(text);
    size += bytes.byteLength;
    text = '';
    if (!out.write(bytes)) await once(out, 'drain');
  };

  let written = 0;
  for (const orgnr of numbers(branches)) {
    if (written === units) break;
    text += (written === 0 ? '' : ', ') + print(inventRecord(orgnr, branches), '');
    written += 1;
    if (text.length >= BATCH) await flush();
  }
  text += ' ]';
  await flush();
  out.end();
  await finished(file);
  return size;
}

/** Valid numbers, ascending, as the register's file has them. */
function* numbers(branches: boolean): Generator<string> {
  for (let stem = FIRST_STEM[branches ? 'branches' : 'units']; ; stem += STEM_STEP) {
    for (let last = 0; last < 10; last++) {
      const orgnr = `${stem}${last}`;
      if (hasValidCheckDigit(orgnr)) yield orgnr;
    }
  }
}

/** Jackson's default pretty printer: a space before the colon, arrays on one line. */
function print(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '[ ]' : `[ ${value.map((entry) => print(entry, indent)).join(', ')} ]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const fields = Object.entries(value).map(([name, entry]) => `${deeper}"${name}" : ${print(entry, deeper)}`);
  return fields.length === 0 ? '{ }' : `{\n${fields.join(',\n')}\n${indent}}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: options } = parseArgs({
    options: {
      units: { type: 'string', default: '1200000' },
      out: { type: 'string' },
      branches: { type: 'boolean', default: false },
    },
  });
  if (options.out === undefined) throw new Error('--out FILE or FILE.gz is missing');
  const units = Number(options.units);
  const size = await writeRegisterFile(options.out, { units, branches: options.branches });
  console.log(
    `${units} units, ${(size / units).toFixed(0)} bytes a unit, ${(size / 1e9).toFixed(2)} GB unpacked`,
  );
}

import { takeNotes, type Outcome } from './outcome.ts';
import { LANES, THIRTY, type Fault } from './thirty.ts';
import { runFiles, type FileResult } from './through-vitest.ts';

/**
 * Puts the service through the thirty tests of docs/faults.md. Prints a line with measurements for each, then a table
 * of all. Everything stays on this machine and ends by itself; the exit code is 1 when the service broke a promise.
 * npm run test:faults [-- number …], FAULTS_SCALE=0.1 for a tenth of the time
 */
const scale = Number(process.env['FAULTS_SCALE'] ?? 1);
if (!(scale > 0)) throw new Error('FAULTS_SCALE must be a number above 0');
const wanted = process.argv.slice(2).map(Number);
const faults = THIRTY.filter(({ number }) => wanted.length === 0 || wanted.includes(number));
const scaled = (count: number) => Math.max(1, Math.round(count * scale));

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const began = performance.now();
const rows: { test: number; title: string; outcome: string; seconds: number; skipped: string }[] = [];
const files = [...new Set(faults.flatMap((fault) => fault.files))];
process.stdout.write(
  `${files.length} files of the test suite run first, then beside each other what takes longer\n`,
);
const results = await runFiles(files, scale);
for (const fault of faults) if (!fault.run) report(fault, throughFiles(fault), 0);
await Promise.all(
  LANES.map(async (lane) => {
    for (const fault of faults) if (fault.run?.lane === lane) await measure(fault);
  }),
);
console.table(rows.toSorted((one, other) => one.test - other.test));
const broken = rows.filter(({ outcome }) => outcome !== 'holds');
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
process.stdout.write(`${rows.length - broken.length} of ${rows.length} hold, in ${minutes} minutes\n`);
process.exit(broken.length === 0 ? 0 : 1);

async function measure(fault: Fault): Promise<void> {
  const start = performance.now();
  const notes = takeNotes();
  notes.add(throughFiles(fault));
  try {
    notes.add(await fault.run!.measure(scaled));
  } catch (error) {
    notes.demand(false, 'the test ended early', error instanceof Error ? error.stack : error);
  }
  report(fault, notes, performance.now() - start);
}

/** What the test suite shows of a fault. */
function throughFiles(fault: Fault): Outcome {
  const notes = takeNotes();
  for (const file of fault.files) {
    const { passed, failed, skipped }: FileResult = results.get(file) ?? {
      passed: 0,
      failed: ['it did not run'],
      skipped: 0,
    };
    notes.demand(failed.length === 0, file, failed.length === 0 ? `${passed} passed` : failed.slice(0, 3));
    if (skipped > 0) notes.skip(`${file}: ${skipped} tests`);
  }
  return notes;
}

function report(
  { number, title }: Fault,
  { measured, breaches, skipped }: Outcome,
  milliseconds: number,
): void {
  const outcome = breaches.length === 0 ? 'holds' : 'BROKEN';
  const seconds = Math.round(milliseconds / 1_000);
  rows.push({ test: number, title, outcome, seconds, skipped: skipped.join('; ') });
  process.stdout.write(`${number}. ${title}: ${outcome}; ${measured.join('; ')}\n`);
  for (const breach of breaches) process.stdout.write(`   BROKEN ${breach}\n`);
  for (const reason of skipped) process.stdout.write(`   SKIPPED ${reason}\n`);
}

// Notes in examples/schema.d.ts which openapi.json it was made from, so that a test can tell when it is out of date.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

const description = readFileSync(new URL('../openapi.json', import.meta.url));
const digest = createHash('sha256').update(description).digest('hex');
appendFileSync(new URL('../examples/schema.d.ts', import.meta.url), `// openapi.json ${digest}\n`);

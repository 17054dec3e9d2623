import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { description } from './promises.ts';

test('Spectral finds nothing to warn of in the description of the API', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']], rules: {} });
  const findings = await linter.run(structuredClone(description) as Record<string, unknown>);
  expect(findings.map(({ code, path, message }) => `${path.join('.')}: ${message} (${code})`)).toEqual([]);
});

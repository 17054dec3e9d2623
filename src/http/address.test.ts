import { expect, test } from 'vitest';
import { networkOf } from './address.ts';

test('a client that is gone has no address, and shares the limit of unknown addresses', () => {
  expect(networkOf(undefined)).toBe('unknown');
});

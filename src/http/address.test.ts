import { expect, test } from 'vitest';
import { networkOf } from './address.ts';

test('a client that is gone has no address, and is limited all the same', () => {
  expect(networkOf(undefined)).toBe('unknown');
});

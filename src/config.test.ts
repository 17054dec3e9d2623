import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

test('the final slash of an address is left out', () => {
  const config = loadConfig({
    PUBLIC_URL: 'https://crm.example.no/',
    REGISTER_URL: 'https://brreg.example/',
  });
  expect(config).toMatchObject({ publicUrl: 'https://crm.example.no', registerUrl: 'https://brreg.example' });
});

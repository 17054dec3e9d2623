import { nationalRegister } from './national.ts';
import type { Register } from './register.ts';
import { sandboxRegister } from './sandbox.ts';

/** Milliseconds one look-up may take, retry included. */
const LOOK_UP_TIMEOUT = 5_000;

/** The register that the settings name. */
export function openRegister(config: {
  register: 'sandbox' | 'national';
  registerUrl: string;
  registerContact: string;
}): Register {
  if (config.register === 'sandbox') return sandboxRegister();
  const contact = config.registerContact ? ` (${config.registerContact})` : '';
  return nationalRegister({
    baseUrl: config.registerUrl,
    userAgent: `Kundebok${contact}`,
    timeoutMs: LOOK_UP_TIMEOUT,
  });
}

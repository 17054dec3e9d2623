import { Unreachable } from './problem.ts';

/** Whether the browser has passkeys here. Over http no browser has them, except on localhost. */
export function hasPasskeys(): boolean {
  return 'credentials' in navigator;
}

/** Loads the code of passkeys, which a first visit does not need. */
export async function loadPasskeys() {
  try {
    return await import('./passkeys.ts');
  } catch (error) {
    throw new Unreachable(error);
  }
}

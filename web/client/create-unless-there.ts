import { isProblem } from './problem.ts';

/**
 * Creates something under an id that was made here. If the id is used already, an earlier try created it and its
 * answer was lost.
 * @returns whether it is new
 */
export async function createUnlessThere(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (isProblem(error, 'id_already_used')) return false;
    throw error;
  }
}

/**
 * Creates something as `createUnlessThere` does; what an earlier try created is changed to what is wanted now. With an
 * Idempotency-Key `create` succeeds again where nothing was corrected, and nothing that others changed is set back.
 */
export async function createOrCorrect(
  create: () => Promise<unknown>,
  correct: () => Promise<unknown>,
): Promise<void> {
  if (!(await createUnlessThere(create))) await correct();
}

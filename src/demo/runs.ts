import type { Logger } from 'pino';
import type { Database } from '../db/connect.ts';
import { addDemo } from './add.ts';
import { DemoRefused } from './counts.ts';
import { removeDemo } from './remove.ts';

/** A fixed seed, so that every workspace gets the same demo. */
const SEED = 1;

/**
 * Demo data that people add and remove in the application. A run takes too long for a request: the request is
 * answered once no other run can begin, and the run continues in one transaction. If the process dies, its lock and its
 * rows go with it.
 */
export class DemoRuns {
  readonly #db: Database;
  readonly #log: Pick<Logger, 'error'>;
  readonly #underWay = new Set<Promise<void>>();

  constructor(db: Database, log: Pick<Logger, 'error'>) {
    this.#db = db;
    this.#log = log;
  }

  /** Does nothing when another run has the workspace. */
  add(workspace: string): Promise<void> {
    return this.#begin(workspace, (onClaimed) =>
      addDemo(this.#db, workspace, { seed: SEED, allowExisting: false, onClaimed }),
    );
  }

  /** Does nothing when another run has the workspace, or there is nothing to remove. */
  remove(workspace: string): Promise<void> {
    return this.#begin(workspace, (onClaimed) => removeDemo(this.#db, workspace, { onClaimed }));
  }

  /** Waits for the runs under way. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #begin(workspace: string, work: (onClaimed: () => void) => Promise<unknown>): Promise<void> {
    const claimed = Promise.withResolvers<unknown>();
    let isClaimed = false;
    const run = work(() => {
      isClaimed = true;
      claimed.resolve(undefined);
    }).then(claimed.resolve, (error: unknown) => {
      if (isClaimed) this.#log.error({ err: error, workspace }, 'demo data were not added or removed');
      else if (error instanceof DemoRefused) claimed.resolve(undefined);
      else claimed.reject(error);
    });
    this.#underWay.add(run);
    void run.then(() => this.#underWay.delete(run));
    await claimed.promise;
  }
}

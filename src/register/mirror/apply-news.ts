import type { Queryable } from '../../db/connect.ts';
import { invalidateLookUps } from './invalidations.ts';
import { erase, type Forget } from './look-up.ts';
import type { Dissolved, News } from './reread.ts';
import { setAside, clearSetAside } from './state.ts';
import { markDeleted, mirrorUnits, rowsOf } from './store.ts';

/** Who must hear of changes, in the transaction that keeps them. */
export type Followers = {
  /** A whole new mirror is there; may take a while, and is no transaction. */
  refreshAll(on: Queryable): Promise<void>;
  /** Facts of these units may have changed. */
  refresh(on: Queryable, orgnrs: readonly string[]): Promise<void>;
  dissolve(on: Queryable, gone: readonly Dissolved[]): Promise<void>;
  /** These units were removed on legal grounds: nothing the register said may be kept. */
  forget: Forget;
};

/** Takes over what the register says, in mirror and companies; look-ups asked before are invalidated first. */
export async function applyNews(transaction: Queryable, news: News, followers: Followers): Promise<void> {
  const { asOf, found, deleted, removed, unknown, failed } = news;
  const read = [...[...found, ...deleted].map(({ orgnr }) => orgnr), ...removed, ...unknown];
  await transaction.row(invalidateLookUps, { orgnrs: [...read, ...failed.map(({ orgnr }) => orgnr)] });
  await transaction.row(clearSetAside, { orgnrs: read });
  if (failed.length > 0) await transaction.row(setAside, { failed: JSON.stringify(failed) });
  if (found.length > 0) {
    await transaction.row(mirrorUnits, { units: rowsOf(found, asOf) });
    await followers.refresh(
      transaction,
      found.map((unit) => unit.orgnr),
    );
  }
  if (deleted.length > 0) {
    await transaction.row(markDeleted, { gone: JSON.stringify(deleted), as_of: asOf });
    await followers.dissolve(transaction, deleted);
  }
  if (removed.length > 0) await erase(transaction, followers.forget, removed);
}

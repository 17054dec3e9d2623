import { Client, escapeIdentifier } from 'pg';
import { connectionSettings } from './connect.ts';

export type Listening = {
  /** Whether notices arrive now; false means some may have been missed. */
  current(): boolean;
  close(): Promise<void>;
};

/** Milliseconds between two proofs that the line is alive, and how long one may take. */
const HEARTBEAT = 400;
const HEARTBEAT_TIMEOUT = 400;
const RECONNECT_AFTER = 500;

/**
 * Listens to a PostgreSQL channel on a connection of its own and reconnects for ever.
 * @param on.onNotice given each notice's payload
 * @param on.onGap told when notices may have been missed, before `current()` is true again
 */
export function listen(
  url: string,
  channel: string,
  on: { onNotice: (payload: string) => void; onGap: () => void },
): Listening {
  let current = false;
  let closed = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const opening = new Client({ ...connectionSettings(url), query_timeout: HEARTBEAT_TIMEOUT });
    client = opening;
    opening.on('error', () => lose(opening));
    opening.on('end', () => lose(opening));
    opening.on('notification', (notice) => on.onNotice(notice.payload ?? ''));
    try {
      await opening.connect();
      await opening.query(`listen ${escapeIdentifier(channel)}`);
      on.onGap();
      current = true;
      later(HEARTBEAT, () => beat(opening));
    } catch {
      lose(opening);
    }
  }

  async function beat(on: Client): Promise<void> {
    try {
      await on.query('select 1');
      if (client === on && !closed) later(HEARTBEAT, () => beat(on));
    } catch {
      lose(on);
    }
  }

  function later(milliseconds: number, step: () => Promise<void>): void {
    timer = setTimeout(() => void step(), milliseconds).unref();
  }

  /** Any fault of the line is answered alike: trust nothing, connect anew. */
  function lose(lost: Client): void {
    if (client !== lost) return;
    client = undefined;
    current = false;
    clearTimeout(timer);
    void end(lost);
    if (!closed) later(RECONNECT_AFTER, open);
  }

  void open();
  return {
    current: () => current,
    async close() {
      closed = true;
      current = false;
      clearTimeout(timer);
      const open = client;
      client = undefined;
      if (open) await end(open);
    },
  };
}

/** Ends a connection that may be dead already; how it ends does not matter. */
async function end(client: Client): Promise<void> {
  await client.end().catch(ignore);
}

function ignore(): void {}

import { escapeIdentifier } from 'pg';
import { passesNotices } from './pooler.ts';
import { findReadOnlyReason } from './read-only.ts';
import { connectionSettings, Session, type SessionSettings } from './session.ts';

export type Listening = {
  /** Whether notices arrive now; false means some may have been missed. */
  current(): boolean;
  close(): Promise<void>;
};

/** Milliseconds between two proofs that the line is alive, and how long one may take. */
const HEARTBEAT = 400;
const HEARTBEAT_TIMEOUT = 400;
const RECONNECT_AFTER = 500;

/** Milliseconds until a pooler that swallows notices is tried again. */
const PROVE_AGAIN_AFTER = 30_000;

/**
 * Listens to a PostgreSQL channel on a connection of its own and reconnects for ever. Behind a pooler that
 * swallows notices it never becomes current.
 * @param on.onNotice given each notice's payload
 * @param on.onGap told when notices may have been missed, before `current()` is true again
 */
export function listen(
  url: string,
  channel: string,
  on: { onNotice: (payload: string) => void; onGap: () => void },
): Listening {
  const settings: SessionSettings = { ...connectionSettings(url), query_timeout: HEARTBEAT_TIMEOUT };
  let current = false;
  let closed = false;
  let client: Session | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const opening = new Session(settings);
    client = opening;
    opening.on('error', () => lose(opening));
    opening.on('end', () => lose(opening));
    opening.on('notification', (notice) => {
      if (notice.channel === channel) on.onNotice(notice.payload ?? '');
    });
    try {
      await opening.connect();
      await opening.query(`listen ${escapeIdentifier(channel)}`);
      if (opening.pooled && !(await hears(opening, settings))) return lose(opening, PROVE_AGAIN_AFTER);
      if (client !== opening) return;
      on.onGap();
      current = true;
      later(HEARTBEAT, () => beat(opening));
    } catch {
      lose(opening);
    }
  }

  async function beat(on: Session): Promise<void> {
    try {
      // Of several hosts, another one may be written to by now: this one would hear of nothing.
      if (!settings.mustTakeWrites) await on.query('select 1');
      else if ((await findReadOnlyReason(on)) !== undefined) lose(on);
      if (client === on && !closed) later(HEARTBEAT, () => beat(on));
    } catch {
      lose(on);
    }
  }

  function later(milliseconds: number, step: () => Promise<void>): void {
    timer = setTimeout(() => void step(), milliseconds).unref();
  }

  /** Any fault of the line is answered alike: trust nothing, connect again. */
  function lose(lost: Session, pause = RECONNECT_AFTER): void {
    if (client !== lost) return;
    client = undefined;
    current = false;
    clearTimeout(timer);
    void end(lost);
    if (!closed) later(pause, open);
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

/** Whether a pooler passes notices on to this connection. */
async function hears(listener: Session, settings: SessionSettings): Promise<boolean> {
  const sender = new Session(settings);
  try {
    await sender.connect();
    return await passesNotices(listener, sender);
  } finally {
    await end(sender);
  }
}

/** Ends a connection that may be dead already; how it ends does not matter. */
async function end(client: Session): Promise<void> {
  await client.end().catch(ignore);
}

function ignore(): void {}

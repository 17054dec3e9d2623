import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { passesNotices } from './pooler.ts';
import { findReadOnlyReason } from './read-only.ts';
import { connectionSettings, ignore, Session, withSession, type SessionSettings } from './session.ts';

/** A heartbeat proves that the connection is alive. */
const HEARTBEAT_INTERVAL_MS = 400;
const HEARTBEAT_TIMEOUT_MS = 400;
const RECONNECT_DELAY_MS = 500;
/** The delay behind a pooler that drops notices. */
const POOLER_RETRY_DELAY_MS = 30_000;

/**
 * Listens to a PostgreSQL channel on a connection of its own, and reconnects until it is closed. Behind a pooler
 * that drops notices it never becomes current.
 * @param handlers.onNotice called with the payload of each notice
 * @param handlers.onGap called when notices may have been missed, before `current()` is true again
 */
export function listen(
  url: string,
  channel: string,
  handlers: { onNotice: (payload: string) => void; onGap: () => void },
) {
  const settings: SessionSettings = { ...connectionSettings(url), query_timeout: HEARTBEAT_TIMEOUT_MS };
  const closing = new AbortController();
  let session: Session;
  let current = false;

  async function listenUntilClosed(): Promise<void> {
    while (!closing.signal.aborted) {
      session = new Session(settings);
      const lost = new AbortController();
      const lose = () => {
        current = false;
        lost.abort();
      };
      session.on('error', lose).on('end', lose);
      // Every error has the same effect: notices may have been missed, and a new connection is opened.
      const over = AbortSignal.any([lost.signal, closing.signal]);
      const delay = await listenOn(session, over).catch(() => RECONNECT_DELAY_MS);
      lose();
      void end(session);
      await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(ignore);
    }
  }

  /** @returns how long to wait before trying again */
  async function listenOn(session: Session, over: AbortSignal): Promise<number> {
    session.on('notification', (notice) => {
      if (notice.channel === channel) handlers.onNotice(notice.payload ?? '');
    });
    await session.connect();
    await session.query(`listen ${escapeIdentifier(channel)}`);
    if (session.pooled && !(await hears(session, url))) return POOLER_RETRY_DELAY_MS;
    over.throwIfAborted();
    handlers.onGap();
    current = true;
    while (await isAlive(session, settings)) {
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal: over, ref: false });
    }
    return RECONNECT_DELAY_MS;
  }

  void listenUntilClosed();
  return {
    /** Whether notices arrive now; if false, some may have been missed. */
    current: () => current,
    async close() {
      closing.abort();
      current = false;
      await end(session);
    },
  };
}

/** With several hosts, another one may accept writes by now and send the notices. */
async function isAlive(session: Session, { mustTakeWrites }: SessionSettings): Promise<boolean> {
  return (await findReadOnlyReason(session)) === undefined || !mustTakeWrites;
}

/** Whether a pooler forwards notices to this connection. */
function hears(listener: Session, url: string): Promise<boolean> {
  return withSession(url, (sender) => passesNotices(listener, sender), HEARTBEAT_TIMEOUT_MS);
}

/** The connection may be dead already; how it ends does not matter. */
async function end(session: Session): Promise<void> {
  await session.end().catch(ignore);
}

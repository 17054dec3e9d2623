import { randomUUID } from 'node:crypto';
import { takeNotes, type Outcome } from './outcome.ts';
import { openStage } from './stage.ts';

/** One operation on a field, with the moments at which it was sent and answered. */
export type Operation = { value: string; kind: 'write' | 'read'; sent: number; answered: number };

/** Test 24: clients on two processes write and read fields at once. What each saw must fit one order of all. */
export async function checkOrder({ operations }: { operations: number }): Promise<Outcome> {
  const notes = takeNotes();
  await using stage = await openStage();
  const services = [await stage.service(), await stage.service()];
  const workspace = await stage.workspace(services[0]!);
  const clients = services.map((service) => service.client(workspace.client.token));
  const fields = await Promise.all(
    Array.from({ length: 8 }, async () => (await workspace.contact({ name: 'first' })).id),
  );
  const history = new Map<string, Operation[]>(
    fields.map((id) => [id, [{ value: 'first', kind: 'write', sent: -2, answered: -1 }]]),
  );
  let left = operations;
  await Promise.all(
    Array.from({ length: 16 }, async (_, worker) => {
      for (; left > 0; left--) {
        const id = fields[(worker + left) % fields.length]!;
        const client = clients[left % 2]!;
        const isWrite = Math.random() < 0.5;
        const value = randomUUID();
        const sent = performance.now();
        const path = `/contacts/${id}`;
        const answer = await (isWrite ? client.patch(path, { name: value }) : client.get(path));
        const seen = { value: answer.body.data?.name as string, sent, answered: performance.now() };
        if (answer.status === 200) history.get(id)!.push({ kind: isWrite ? 'write' : 'read', ...seen });
        else throw new Error(`a contact was answered ${answer.status}`);
      }
    }),
  );
  const faults = [...history.values()].flatMap(findFaults);
  notes.note('operations', operations);
  notes.demand(faults.length === 0, 'without an order', faults.slice(0, 3));
  return notes;
}

/**
 * Why a history of one field whose written values all differ is not linearizable (Gibbons and Korach, 1997). The zone
 * of a value lies between its first answer and its last request, and runs forward if the answer came first. Zones that
 * run forward must not overlap, and no other zone may lie within one of them.
 */
export function findFaults(history: readonly Operation[]): string[] {
  const faults: string[] = [];
  const zones: { value: string; from: number; to: number; isForward: boolean }[] = [];
  for (const [value, those] of Map.groupBy(history, (operation) => operation.value)) {
    const write = those.find(({ kind }) => kind === 'write');
    if (!write) {
      faults.push(`${value} was read and never written`);
      continue;
    }
    const early = those.some(({ kind, answered }) => kind === 'read' && answered < write.sent);
    if (early) faults.push(`${value} was read before it was written`);
    const answered = Math.min(...those.map((operation) => operation.answered));
    const sent = Math.max(...those.map((operation) => operation.sent));
    const isForward = answered < sent;
    zones.push({ value, from: Math.min(answered, sent), to: Math.max(answered, sent), isForward });
  }
  const forward = zones.filter(({ isForward }) => isForward).toSorted((one, other) => one.from - other.from);
  forward.forEach((zone, index) => {
    const next = forward[index + 1];
    if (next && next.from < zone.to) faults.push(`${zone.value} and ${next.value} were both the latest`);
  });
  for (const zone of zones.filter(({ isForward }) => !isForward)) {
    const around = forward.find(({ from, to }) => from < zone.from && zone.to < to);
    if (around) faults.push(`${zone.value} was there while ${around.value} was the latest`);
  }
  return faults;
}

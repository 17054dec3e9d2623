import type { ChangeEntry } from '../../src/changes/schema.ts';

/** One thing that can be changed: "task 0189…", as the change log calls it, or something that the log leaves out. */
export type RecordName = `${ChangeEntry['resource'] | 'member' | 'view' | 'page'} ${string}`;

/** A change of a record, here or by others. */
export type RecordChange = { record: RecordName; requestId: string | null };

/** The writes of this tab, by request id: how many had been answered before each. */
const answered = new Map<string, number>();

export function noteWrite(requestId: string): void {
  answered.set(requestId, answered.size);
}

/** How many writes of this tab have been answered. */
export function countWrites(): number {
  return answered.size;
}

/** Whether a change is one of the first `count` writes of this tab. The change log reports them later. */
export function isAmongWrites({ requestId }: RecordChange, count: number): boolean {
  return requestId !== null && (answered.get(requestId) ?? Infinity) < count;
}

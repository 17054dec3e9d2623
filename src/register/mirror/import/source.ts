import { open } from 'node:fs/promises';
import { CommandError } from '../../../cli/output.ts';

/** The import was not published. The message says why and what to do; the mirror is as it was before. */
export class ImportRefused extends CommandError {}

/** Where a file of the whole register comes from. */
export type BulkSource = {
  /** As it stands in a sentence: the file's name, or the register's list. */
  title: string;
  /** What to do when the file is not valid. */
  advice: string;
  /** @throws {ImportRefused} */
  open(signal: AbortSignal): Promise<{
    /** When the file was made or, at the latest, downloaded. */
    date: Temporal.Instant;
    /** Bytes in the file; undefined where it is not known. */
    size: number | undefined;
    chunks: AsyncIterable<Uint8Array>;
  }>;
};

const CHUNK_BYTES = 256 * 1024;

/** A file on disk, as old as its time of last change. */
export function fileSource(path: string): BulkSource {
  return {
    title: path,
    advice: 'download the file again',
    async open() {
      const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
        const reason = `${path} cannot be read (${cause.code}): check its name and permissions`;
        throw new ImportRefused(reason, { cause });
      });
      const facts = await file.stat();
      if (!facts.isFile()) {
        await file.close();
        throw new ImportRefused(`${path} is not a file`);
      }
      return {
        date: notInFuture(facts.mtime.toTemporalInstant()),
        size: facts.size,
        chunks: file.createReadStream({ highWaterMark: CHUNK_BYTES }),
      };
    },
  };
}

function notInFuture(instant: Temporal.Instant): Temporal.Instant {
  const now = Temporal.Now.instant();
  return Temporal.Instant.compare(instant, now) > 0 ? now : instant;
}

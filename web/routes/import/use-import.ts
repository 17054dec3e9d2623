import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Import, Result } from '../../../src/imports/schema.ts';
import { call, type CallOptions, type CallResult } from '../../client/call.ts';
import { newId } from '../../client/new-id.ts';
import { Explained } from '../../client/problem.ts';
import { warnOfLoss } from '../../client/unsaved.ts';
import { useWords } from '../../words/dictionary.ts';
import {
  digestOf,
  isText,
  MAX_BYTES,
  MAX_COLUMNS,
  parseFile,
  type Parsed,
  type Reading,
  type Row,
} from './read-file.ts';
import { findReading, forgetReading, keepReading } from './reading.ts';
import { batchesOf, MAX_SEPARATORS, sendPatiently } from './send.ts';
import { words } from './words.ts';

export type Resource = Import['resource'];
export type Columns = CallOptions<'POST /imports'>['body']['columns'];
export type Field = NonNullable<Columns[number]>;

/** The fields that columns can hold, and those that are needed. */
type Possible = Pick<CallResult<'POST /import-guesses'>['data']['data'], 'fields' | 'needed'>;

/** The service does not examine cells longer than 300 characters, so one more shows that a cell is longer. */
const MAX_SAMPLE = 301;

export type Step = 'file' | 'columns' | 'review' | 'done';

type Opened = Parsed & { name: string; bytes: Uint8Array };

/** One import from the file to its result. */
export function useImport() {
  const said = useWords(words);
  const client = useQueryClient();
  const [step, setStep] = useState<Step>('file');
  const [resource, setResource] = useState<Resource>('company');
  const [file, setFile] = useState<Opened>();
  /** The file that is being opened now. */
  const [opening, setOpening] = useState<File>();
  /** How the file is being read now. */
  const [reading, setReading] = useState<Reading>();
  const [columns, setColumns] = useState<Columns>([]);
  const [possible, setPossible] = useState<Possible>({ fields: [], needed: [] });
  const [results, setResults] = useState<readonly Result[]>([]);
  const [progress, setProgress] = useState<number>();
  const [isStopping, setStopping] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [going, setGoing] = useState<Import>();
  /** The Idempotency-Key, the same until the import has begun: another try begins no second import. */
  const attempt = useRef<{ of: string; key: string }>(undefined);
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  const isSending = progress !== undefined;
  useEffect(() => (isSending ? warnOfLoss() : undefined), [isSending]);

  /** Runs one action at a time: a new one aborts the one before. Its error is shown, unless it was aborted. */
  const run = async (work: (signal: AbortSignal) => Promise<void>) => {
    underWay.current?.abort();
    const controller = new AbortController();
    underWay.current = controller;
    setFailure(undefined);
    try {
      await work(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) setFailure(error);
    } finally {
      if (underWay.current === controller) {
        setProgress(undefined);
        setStopping(false);
        setOpening(undefined);
        setReading(undefined);
      }
    }
  };

  /** Shows a file only once its columns are guessed: it is never shown with the columns of an earlier reading. */
  const take = async (opened: Opened, signal: AbortSignal, of = resource) => {
    const { header, rows } = opened;
    const width = header.length;
    if (width > MAX_COLUMNS) throw new Explained(said.tooWide);
    const samples = rows.slice(0, Math.min(5, Math.floor(MAX_SEPARATORS / width) - 1));
    const startOf = (row: readonly string[]) => row.slice(0, width).map((cell) => cell.slice(0, MAX_SAMPLE));
    const body = { resource: of, rows: [header, ...samples.map(({ cells }) => cells)].map(startOf) };
    const { data } = await call('POST /import-guesses', { body, signal });
    setFile(opened);
    setColumns(data.data.columns as Columns);
    setPossible(data.data);
  };

  const sendAll = async (
    rows: readonly Row[],
    taken: Columns,
    signal: AbortSignal,
    send: (rows: Row[], key: string) => Promise<readonly Result[]>,
  ) => {
    const all: Result[] = [];
    setResults([]);
    setProgress(0);
    for (const batch of batchesOf(rows.map((row) => only(row, taken)))) {
      const key = newId();
      all.push(...(await sendPatiently(() => send(batch, key), signal)));
      setResults([...all]);
      setProgress(all.length / rows.length);
    }
  };

  const readRows = async (to: Import, rows: readonly Row[], signal: AbortSignal) => {
    setGoing(to);
    setStep('done');
    try {
      await sendAll(rows, to.columns as Columns, signal, async (batch, idempotencyKey) => {
        // Without the signal: the service imports what it has been sent, and only its answer says what became of it.
        const sent = { params: { id: to.id }, body: { rows: batch }, idempotencyKey };
        return (await call('POST /imports/{id}/rows', sent)).data.data;
      });
      forgetReading(to.id);
    } finally {
      await client.invalidateQueries({ queryKey: ['imports'] });
    }
  };

  /** Opens a file; an import that was interrupted continues with it at once. */
  const open = (chosen: File, of = resource) =>
    run(async (signal) => {
      setOpening(chosen);
      if (chosen.size > MAX_BYTES) throw new Explained(said.tooLarge);
      const buffer = await chosen.arrayBuffer().catch((cause: unknown) => {
        throw new Explained(said.unreadable, { cause });
      });
      const bytes = new Uint8Array(buffer);
      if (!isText(bytes)) throw new Explained(said.notText);
      const opened = {
        ...(await parseFile(bytes, going && findReading(going.id))),
        name: chosen.name,
        bytes,
      };
      signal.throwIfAborted();
      const { header, rows, openQuote } = opened;
      if (openQuote && (going || rows.length === 0)) {
        throw new Explained(said.openQuote(String(openQuote)));
      }
      if (rows.length === 0) throw new Explained(said.empty);
      if (going) {
        const isSame =
          going.digest === null
            ? rows.length === going.row_count && header.length === going.columns.length
            : going.digest === digestOf(opened);
        if (!isSame) throw new Explained(said.other);
        setFile(opened);
        await readRows(going, rows, signal);
      } else {
        await take(opened, signal, of);
        setStep('columns');
      }
    });

  return {
    step,
    resource,
    file,
    opening,
    reading,
    columns,
    possible,
    results,
    progress,
    isStopping,
    failure,
    going,
    /** A file that is being opened is opened again, so that its columns are guessed for this resource. */
    setResource(to: Resource) {
      setResource(to);
      if (opening) void open(opening, to);
    },
    setColumns,
    setStep(to: Step) {
      underWay.current?.abort();
      setFailure(undefined);
      setStep(to);
    },
    cancel() {
      setStopping(true);
      underWay.current?.abort();
    },
    open,
    readAs: (as: Reading) =>
      run(async (signal) => {
        if (!file) return;
        setReading(as);
        await take({ ...file, ...(await parseFile(file.bytes, as)) }, signal);
      }),
    check: () =>
      run(async (signal) => {
        setStep('review');
        await sendAll(file?.rows ?? [], columns, signal, async (rows) => {
          // The rows have only the cells of these columns.
          const taken = columns.filter((field) => field !== null);
          const sent = { body: { resource, columns: taken, rows }, signal };
          return (await call('POST /import-checks', sent)).data.data;
        });
      }),
    start: () =>
      run(async (signal) => {
        if (!file) return;
        const { name, rows } = file;
        const about = { file_name: name.slice(-255), row_count: rows.length, digest: digestOf(file) };
        const body = { resource, columns, ...about };
        const of = JSON.stringify(body);
        if (attempt.current?.of !== of) attempt.current = { of, key: newId() };
        const { data } = await call('POST /imports', { body, signal, idempotencyKey: attempt.current.key });
        attempt.current = undefined;
        keepReading(data.data.id, file);
        await readRows(data.data, rows, signal);
      }),
    goOn: () => run((signal) => readRows(going!, file?.rows ?? [], signal)),
    /** Asks for the file of an import that was interrupted. */
    resume(interrupted: Import) {
      underWay.current?.abort();
      setGoing(interrupted);
      setFailure(undefined);
      setResource(interrupted.resource);
      setStep('file');
    },
    reset() {
      underWay.current?.abort();
      setGoing(undefined);
      setFile(undefined);
      setResults([]);
      setFailure(undefined);
      setStep('file');
    },
  };
}

export type Importing = ReturnType<typeof useImport>;

/** The row with only the cells of the columns that are imported. */
function only({ line, cells }: Row, columns: Columns): Row {
  return { line, cells: columns.flatMap((field, index) => (field === null ? [] : [cells[index] ?? ''])) };
}

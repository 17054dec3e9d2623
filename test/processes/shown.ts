const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const KEY = /^kb_\w{46}$/;
const KEY_ID = /^[0-9A-Za-z]{12}$/;
/** As `encodeCursor` makes it, of a JSON array that begins with text. */
const CURSOR = /^WyJ[\w-]+$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?$/;
const MEASURE = /^\d+\.\d+$/;
/** When something was made: differs from run to run. */
const TIMES = new Set(['created_at', 'updated_at', 'revoked_at', 'at']);

/**
 * Compares what documents show with what a run prints. Ids and keys differ from run to run: one that is shown
 * for the first time is taken to stand for the one printed in its place, and must stand for it from then on.
 */
export class Shown {
  readonly #meanings = new Map<string, string>();

  /** Says what an expression of the documents means in this run. */
  mean(shown: string, actual: string): void {
    this.#meanings.set(shown, actual);
  }

  /** A text of the documents as this run has it. */
  translate(text: string): string {
    const shown = [...this.#meanings.keys()].toSorted((one, other) => other.length - one.length);
    return shown.reduce((translated, name) => translated.replaceAll(name, this.#meanings.get(name)!), text);
  }

  /** @throws when the output is not what the block promises */
  compare(kind: string, shown: string, actual: string): void {
    if (kind === 'json') this.#json(JSON.parse(shown), JSON.parse(actual), '');
    else if (kind === 'http') this.#http(shown, actual);
    else this.#text(shown, actual);
  }

  #http(shown: string, actual: string): void {
    const [shownHead, shownBody] = halves(shown);
    const [actualHead, actualBody] = halves(actual.replaceAll('\r\n', '\n'));
    const [status, ...headers] = shownHead.split('\n');
    const [actualStatus, ...actualHeaders] = actualHead.split('\n');
    if (status !== actualStatus) throw new Error(`shows ${status}, was ${actualStatus}`);
    for (const header of headers) {
      if (!actualHeaders.some((other) => formOf(other) === formOf(header))) {
        throw new Error(`shows the header ${header}, were ${actualHeaders.join('; ')}`);
      }
    }
    if (shownBody !== '') this.#json(JSON.parse(shownBody), JSON.parse(actualBody), '');
  }

  #text(shown: string, actual: string): void {
    const [words, actualWords] = [shown, actual].map((text) => text.trim().split(/\s+/));
    if (words!.length !== actualWords!.length) throw new Error(`shows\n${shown}\nwas\n${actual}`);
    for (const [at, word] of words!.entries()) this.#word(word, actualWords![at]!, 'text');
  }

  #json(shown: unknown, actual: unknown, path: string): void {
    if (Array.isArray(shown) && Array.isArray(actual) && shown.length === actual.length) {
      for (const [at, item] of shown.entries()) this.#json(item, actual[at], `${path}[${at}]`);
    } else if (isObject(shown) && isObject(actual)) {
      const [names, actualNames] = [Object.keys(shown), Object.keys(actual)];
      if (names.join() !== actualNames.join()) {
        throw new Error(
          `${path} shows the members ${names.join()}, but the answer has ${actualNames.join()}`,
        );
      }
      for (const name of names) this.#json(shown[name], actual[name], `${path}.${name}`);
    } else if (typeof shown === 'string' && typeof actual === 'string') {
      this.#word(shown, actual, path);
    } else if (!(path.endsWith('.id') && Number.isInteger(shown) && Number.isInteger(actual))) {
      if (shown !== actual) throw new Error(`${path} shows ${String(shown)}, was ${String(actual)}`);
    }
  }

  #word(shown: string, actual: string, path: string): void {
    if (this.translate(shown) === actual) return;
    const both = (form: RegExp) => form.test(shown) && form.test(actual);
    if ([UUID, KEY, KEY_ID, CURSOR].some(both) && !this.#meanings.has(shown)) {
      this.mean(shown, actual);
      return;
    }
    const isTime = path === 'text' || TIMES.has(path.split('.').at(-1)!);
    if (isTime && both(MOMENT)) return;
    if (path === 'text' && both(MEASURE)) return;
    throw new Error(`${path} shows ${shown}, was ${actual}`);
  }
}

/** A header with each of its numbers as 0. */
function formOf(header: string): string {
  return header.toLowerCase().replaceAll(/\d+/g, '0');
}

function halves(message: string): [head: string, body: string] {
  const [head = '', ...body] = message.trim().split('\n\n');
  return [head, body.join('\n\n')];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { api, TAGS } from '../src/api.ts';
import { BASE_PATH } from '../src/http/mount.ts';
import { describeApi } from '../src/http/openapi.ts';
import { Waits } from '../src/changes/waits.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import type { Answer, Judge } from './client.ts';

const DOCUMENT = 'openapi.json';
const SUCCESS_OR_ERROR = /^[2345]\d\d$/;

type Headers = Record<string, { $ref: string }>;
type Response = { headers: Headers; content: { 'application/json': { examples?: Record<string, unknown> } } };
type DescribedResponse = { $ref?: string; headers?: Headers };
type DescribedOperation = { operationId: string; responses: Record<string, DescribedResponse> };
type Description = {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { responses: Record<string, Response>; headers: Record<string, unknown> };
};

/** The description of the API as this checkout generates it. */
export const description = JSON.parse(
  JSON.stringify(describeApi(api({ register: sandboxRegister(), waits: new Waits() }), BASE_PATH, TAGS)),
) as Description;

/** The code of every problem that an operation declares. */
export function declaredProblems(route: string): string[] {
  const [method = '', path = ''] = route.split(' ');
  const { responses } = description.paths[path]![method.toLowerCase()]!;
  return Object.values(responses).flatMap(({ $ref }) => {
    const shared = $ref && description.components.responses[$ref.split('/').at(-1)!];
    return shared ? Object.keys(shared.content['application/json'].examples ?? {}) : [];
  });
}

const paths = Object.entries(description.paths).map(([path, methods]) => ({
  path,
  methods,
  pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

// Another test checks that the document is valid; doing so here would take a tenth of a second in each file.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(closed(description) as object, DOCUMENT);
const compiled = new Map<string, ValidateFunction>();

/** Throws when an answer is not one the description promises for the operation, or breaks a rule for all answers. */
export const judge: Judge = ({ method, path }, answer) => {
  const faults = [
    ...faultsOfHeaders(answer),
    ...undeclaredHeaders(method, path, answer),
    ...faultsOfBody(method, path, answer),
  ];
  if (faults.length === 0) return;
  throw new Error(
    `${method} ${path} was answered ${answer.status} with ${answer.text.slice(0, 500)}\n${faults.join('\n')}`,
  );
};

function faultsOfHeaders({ headers, status, body }: Answer): string[] {
  const faults: string[] = [];
  const demand = (met: boolean, what: string) => met || faults.push(what);
  demand(/^[\w.:+/=-]{1,128}$/.test(String(headers['x-request-id'])), 'has no sane X-Request-Id');
  demand(headers['cache-control'] === 'no-store', 'has no Cache-Control: no-store');
  demand(
    headers['content-type'] === (isEmpty(status) ? undefined : 'application/json; charset=utf-8'),
    `is ${headers['content-type']}, not application/json; charset=utf-8`,
  );
  for (const name of Object.keys(headers)) {
    demand(!name.startsWith('access-control-'), `has the CORS header ${name}`);
  }
  demand(headers['x-powered-by'] === undefined && headers['server'] === undefined, 'names its software');
  demand(headers['x-content-type-options'] === 'nosniff', 'lets browsers guess its type');
  demand(headers['referrer-policy'] === 'no-referrer', 'lets browsers tell where they were');
  demand(
    /default-src 'none'.*frame-ancestors 'none'/.test(String(headers['content-security-policy'])),
    'may be framed, or run something',
  );
  if (status === 401) demand(headers['www-authenticate'] === 'Bearer', 'has no WWW-Authenticate: Bearer');
  if (status === 405) demand(Boolean(headers['allow']), 'has no Allow');
  if (status === 429 || status === 503) {
    demand(/^[1-9]\d*$/.test(String(headers['retry-after'])), 'has no Retry-After in whole seconds');
  }
  if (status >= 500) {
    demand(!LEAKS.test(JSON.stringify(body)), 'tells of SQL, files or the stack');
  }
  return faults;
}

const LEAKS =
  /\bselect\b|\binsert\b|\bupdate\b|relation|constraint|\.ts\b|\bat \w+ \(|node_modules|postgres/i;

function faultsOfBody(method: string, path: string, answer: Answer): string[] {
  // The body of an answer to HEAD is never sent.
  if (method === 'HEAD') return answer.text === '' ? [] : ['has a body although it answers HEAD'];
  if (isEmpty(answer.status)) {
    return [
      ...(answer.text === '' ? [] : ['has a body']),
      ...(isDeclared(method, path, answer.status)
        ? []
        : ['has a status that the operation does not declare']),
    ];
  }
  if (answer.body === undefined) return ['is not JSON'];
  const check = schemaFor(method, path, answer.status);
  if (!check) return ['has a status that the operation does not declare'];
  if (check(answer.body)) return [];
  return (check.errors ?? []).map((error) => `breaks its schema: ${error.instancePath} ${error.message}`);
}

/** Answers that never have a body. */
function isEmpty(status: number): boolean {
  return status === 204 || status === 304;
}

function isDeclared(method: string, path: string, status: number): boolean {
  return declared(method, path, status) !== undefined;
}

function declared(method: string, path: string, status: number): DescribedResponse | undefined {
  const plain = decoded(path.split('?')[0]!);
  // HEAD is described beside its GET, and alike.
  const methods = paths.find(({ pattern }) => pattern.test(plain))?.methods;
  return methods?.[method.toLowerCase()]?.responses[status];
}

/** Headers that the description knows, but not for this answer: a generated client does not hand them out. */
function undeclaredHeaders(method: string, path: string, { headers, status }: Answer): string[] {
  const response = declared(method, path, status);
  if (!response) return [];
  const shared = response.$ref && description.components.responses[response.$ref.split('/').at(-1)!];
  const names = Object.keys((shared || response).headers ?? {});
  return Object.keys(description.components.headers)
    .filter((name) => headers[name.toLowerCase()] !== undefined && !names.includes(name))
    .map((name) => `has ${name}, which the operation does not declare for ${status}`);
}

function schemaFor(method: string, path: string, status: number): ValidateFunction | undefined {
  const plain = decoded(path.split('?')[0]!);
  const known = paths.find(({ pattern }) => pattern.test(plain));
  const operation = known?.methods[method.toLowerCase()];
  if (!known || !operation) return status >= 400 ? compile('/components/schemas/Problem') : undefined;
  const response = operation.responses[status];
  if (!SUCCESS_OR_ERROR.test(String(status)) || !response) return undefined;
  const place = ['paths', known.path, method.toLowerCase(), 'responses', status].map(String).map(pointer);
  const where = response.$ref?.slice(1) ?? `/${place.join('/')}`;
  return compile(`${where}/content/application~1json/schema`);
}

/**
 * The description with every object and list of known values closed. Published, answers and `code` are open for
 * what later releases add; this release answers with nothing that it does not describe.
 */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  if (copy['type'] === 'object' && 'properties' in copy) copy['additionalProperties'] ??= false;
  if ('x-extensible-enum' in copy) copy['enum'] = copy['x-extensible-enum'];
  return copy;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function compile(place: string): ValidateFunction {
  const kept = compiled.get(place);
  if (kept) return kept;
  const made = ajv.compile({ $ref: `${DOCUMENT}#${encodeURI(place)}` });
  compiled.set(place, made);
  return made;
}

function pointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

import type { Answer, Client } from './client.ts';
import type { Operation } from './operation.ts';
import type { Workspace } from './workspace.ts';

/** A request that an operation carries out, created for each use. */
export type Sample = { method: string; path: string; body: Record<string, unknown> | undefined };

export async function sampleOf(operation: Operation, workspace: Workspace): Promise<Sample> {
  return {
    method: methodOf(operation),
    path: await operation.path(workspace),
    body: await operation.sample?.(workspace),
  };
}

export function methodOf(operation: Operation): string {
  return operation.route.split(' ')[0]!;
}

/** Sends a request whose body, if there is one, is JSON. */
export function ask(client: Client, { method, path, body }: Sample): Promise<Answer> {
  return body === undefined
    ? client.send({ method, path })
    : client.send({
        method,
        path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
}

/** Adds to the query of a path, or gives the path a query. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Names of the fields an answer finds fault with, sorted. */
export function fieldsAtFault(answer: Answer): string[] {
  return (answer.body.details ?? []).map(({ field }: { field: string }) => field).toSorted();
}

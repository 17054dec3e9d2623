import type { FastifyServerOptions } from 'fastify';

/** Without these, Fastify loads its compilers of JSON schemas at every start; Zod checks requests. */
export const WITHOUT_SCHEMAS: FastifyServerOptions['schemaController'] = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
};

function refuse(): never {
  throw new Error('routes have no JSON schemas');
}

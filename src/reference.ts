import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/**
 * The reference page at /docs. Its package holds some 30 MB of the process and a tenth of a second of its start,
 * so it is loaded by the first visit.
 * @param url address of the description that the page shows
 */
export function serveReference(app: FastifyInstance, url: string): void {
  let loaded: Promise<FastifyInstance> | undefined;

  async function visit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    loaded ??= load(url);
    const page = await (await loaded).inject({ method: 'GET', url: request.url });
    for (const name of ['content-type', 'location', 'etag', 'cache-control']) {
      if (page.headers[name] !== undefined) void reply.header(name, page.headers[name]);
    }
    return reply.code(page.statusCode).send(page.body === '' ? undefined : page.rawPayload);
  }

  app.get('/docs', visit);
  app.get('/docs/*', visit);
}

async function load(url: string): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const pages = fastify();
  await pages.register(scalar, {
    routePrefix: '/docs',
    // Nothing leaves for elsewhere, and nothing asks for a key: keys are kept out of browsers.
    configuration: {
      url,
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideTestRequestButton: true,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return pages;
}

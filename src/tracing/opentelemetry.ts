import { setTimeout as wait } from 'node:timers/promises';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { limitWarnings } from '../repeated-warnings.ts';
import type { TracingSettings } from './settings.ts';
import type { SpanPart, RequestSpan, Tracer } from './work.ts';

/** How often the log says that the collector cannot be reached. */
const WARNING_INTERVAL_MS = 60_000;
const MAX_WARNING_LENGTH = 300;

/** A stop waits at most this long for the collector. */
const MAX_FLUSH_MS = 3_000;

const CHECK_TIMEOUT_MS = 2_000;

/** Loads the packages only when traces are sent, because that takes a while. */
async function loadPackages() {
  const [api, core, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  return { api, core, sdk, exporter, resources };
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** The request that a part belongs to. */
type Parent = { context: Context; now: () => number };

/**
 * Sends the traces of requests to a collector, in the background; spans that it does not take in time are dropped.
 * @returns the tracer; `stop` sends the remaining spans
 */
export async function startTracing(
  settings: TracingSettings,
  { release, log }: { release: string; log: Pick<Logger, 'info' | 'warn'> },
): Promise<Tracer & { stop(): Promise<void> }> {
  const packages = await loadPackages();
  const { api, core, sdk, exporter } = packages;
  reportTrouble(packages, log);
  const batch = { ...settings.batch, exporter: new exporter.OTLPTraceExporter({ url: settings.url }) };
  const provider = new sdk.TracerProvider({
    resource: describeService(packages, release),
    sampler: createSampler(packages, settings),
    spanProcessors: [new sdk.BatchSpanProcessor(batch)],
  });
  const tracer = provider.getTracer('kundebok', release);
  const propagator = new core.W3CTraceContextPropagator();
  log.info({ url: withoutSecrets(settings.url), sampler: settings.sampler }, 'traces are sent');

  return {
    startRequest({ method, headers, protocol }): RequestSpan {
      const caller = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
      const attributes = { 'http.request.method': method, 'url.scheme': protocol };
      const now = startClock();
      const options = { kind: api.SpanKind.SERVER, attributes, startTime: now() };
      const span = tracer.startSpan(method, options, caller);
      const own = { context: api.trace.setSpan(caller, span), now };
      return {
        traceId: span.spanContext().traceId,
        startStatement: (title) =>
          startPart(title, { 'db.system.name': 'postgresql', 'db.query.summary': title }, own),
        startCall: (url) => startPart('GET', callAttributes(url), own),
        end({ method, route, status, requestId, workspaceId }) {
          const hasRoute = route !== '*';
          if (hasRoute) span.updateName(`${method} ${route}`);
          span.setAttributes({
            ...(hasRoute && { 'http.route': route }),
            ...(status !== undefined && { 'http.response.status_code': status }),
            'kundebok.request_id': requestId,
            ...(workspaceId !== undefined && { 'kundebok.workspace_id': workspaceId }),
          });
          if (status !== undefined && status >= 500) markFailed(span, String(status));
          span.end(now());
        },
      };
    },
    async stop() {
      const flushed = provider.shutdown().catch((error: unknown) => api.diag.warn(String(error)));
      await Promise.race([flushed, wait(MAX_FLUSH_MS, undefined, { ref: false })]);
      api.diag.disable();
    },
  };

  function startPart(name: string, attributes: Attributes, { context, now }: Parent): SpanPart {
    const options = { kind: api.SpanKind.CLIENT, attributes, startTime: now() };
    const span = tracer.startSpan(name, options, context);
    return {
      end({ status, error } = {}) {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        // 404 is an ordinary answer of the register.
        if (error !== undefined) markFailed(span, codeOf(error));
        else if (status !== undefined && status >= 500) markFailed(span, String(status));
        span.end(now());
      },
    };
  }

  /** Error messages may quote data of the workspace, so only the kind of the error is sent. */
  function markFailed(span: Span, kind: string): void {
    span.setAttribute('error.type', kind);
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }
}

/**
 * A clock for one request and its parts, in milliseconds since 1970. Spans that read the time themselves each start
 * at a whole millisecond: a part could then end after its request.
 */
function startClock(): () => number {
  const origin = Date.now() - performance.now();
  return () => origin + performance.now();
}

/** Sends an empty request to the collector. @returns why it was not accepted; undefined if it was */
export async function checkCollector({ url }: TracingSettings): Promise<string | undefined> {
  const { core, exporter } = await loadPackages();
  const sender = new exporter.OTLPTraceExporter({ url, timeoutMillis: CHECK_TIMEOUT_MS });
  return new Promise((resolve) => {
    sender.export([], ({ code, error }) =>
      resolve(code === core.ExportResultCode.SUCCESS ? undefined : error?.message || codeOf(error)),
    );
  });
}

/** The address without user, password and query. */
export function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over the service's own attributes. */
function describeService({ resources }: Packages, release: string) {
  const { resourceAttributesEnvDetector, serviceNameEnvDetector, serviceInstanceIdDetector } = resources;
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  return resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'kundebok', 'service.version': release }))
    .merge(resources.detectResources({ detectors }));
}

function createSampler({ sdk }: Packages, { sampler, ratio }: TracingSettings) {
  const [, parent, root] = /^(parentbased_)?(.+)$/.exec(sampler)!;
  const roots = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const own = roots[root as keyof typeof roots]();
  return parent ? new sdk.ParentBasedSampler({ root: own }) : own;
}

function ignore(): void {}

/** Logs the warnings and errors of OpenTelemetry. */
function reportTrouble({ api }: Packages, log: Pick<Logger, 'warn'>): void {
  const limited = limitWarnings(log, WARNING_INTERVAL_MS);
  const warn = (reason: string) =>
    limited('tracing', { reason: reason.slice(0, MAX_WARNING_LENGTH) }, 'some traces are not sent');
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  api.diag.setLogger(logger, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Without the organisation number, which may belong to a sole proprietor, and without the search text. */
function callAttributes(url: string): Attributes {
  const { hostname, port, protocol, pathname } = new URL(url);
  return {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'url.template': pathname.replace(/\/\d{9}$/, '/{orgnr}'),
  };
}

/** The code that PostgreSQL or the network gives, which may be in a cause. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return error instanceof Error ? error.name : 'unknown';
}

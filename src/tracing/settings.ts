import { z } from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const webAddress = z.string().refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
  error: 'must be an address that starts with http:// or https://',
});

const positive = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number above 0')
  .transform(Number);

const share = z
  .string()
  .regex(/^(?:0?\.\d+|0|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
  .transform(Number);

const protocol = z.literal(
  'http/protobuf',
  "must be http/protobuf; use the collector's port for it, usually 4318",
);

/** OpenTelemetry's own names, forms and defaults. Its exporter reads the other variables of OTLP by itself. */
export const tracingVariables = z.object({
  OTEL_SDK_DISABLED: z.string().default('false'),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']).default('otlp'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.prefault('1'),
  OTEL_BSP_SCHEDULE_DELAY: positive.prefault('5000'),
  OTEL_BSP_EXPORT_TIMEOUT: positive.prefault('30000'),
  OTEL_BSP_MAX_QUEUE_SIZE: positive.prefault('2048'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive.prefault('512'),
});

/**
 * Reads the settings of traces. Where traces are off, faults in the other variables do not matter: a host may have
 * them for other programs.
 */
export function readTracing(environment: Record<string, string | undefined>) {
  const off = { tracing: undefined, faults: [] as string[] };
  const specific = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const general = environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const isDisabled = environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || environment['OTEL_TRACES_EXPORTER'] === 'none' || !(specific ?? general)) return off;
  const own = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'];
  const { data, error } = tracingVariables.safeParse({
    ...environment,
    ...(own !== undefined && { OTEL_EXPORTER_OTLP_PROTOCOL: undefined }),
  });
  if (error) {
    return { ...off, faults: error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) };
  }
  return {
    ...off,
    tracing: {
      /** Where spans are posted. */
      url: specific ?? `${general!.replace(/\/+$/, '')}/v1/traces`,
      sampler: data.OTEL_TRACES_SAMPLER,
      /** The share of the traces begun here that `…traceidratio` samples. */
      ratio: data.OTEL_TRACES_SAMPLER_ARG,
      batch: {
        scheduledDelayMillis: data.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: data.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: data.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: data.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      },
    },
  };
}

export type TracingSettings = NonNullable<ReturnType<typeof readTracing>['tracing']>;

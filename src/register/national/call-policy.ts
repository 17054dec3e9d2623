import { AsyncLocalStorage } from 'node:async_hooks';
import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  DelegateBackoff,
  handleType,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  isTaskCancelledError,
} from 'cockatiel';
import { RegisterUnavailable } from '../register.ts';
import { RETRY_AFTER_SECONDS } from './request.ts';

export type CallLimits = {
  concurrentCalls: number;
  queuedCalls: number;
  /** Consecutive failures that open the circuit breaker. */
  failuresToOpen: number;
  /** How long the breaker stays open at first; each failed probe doubles it. */
  openMs: number;
  maxOpenMs: number;
  /** The longest `pause` that is honoured. */
  maxPauseMs: number;
};

/** Where nobody has called for this long after calls were allowed again, the breaker is shown as closed. */
const FORGOTTEN_MS = 5 * 60_000;

const STATES = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Isolated]: 'open',
} as const;

/** A circuit breaker and a limited queue before the register; each RegisterUnavailable counts as a failure. */
export function createCallPolicy(limits: CallLimits) {
  let openMs = 0;
  let pausedUntil = 0;

  const slots = bulkhead(limits.concurrentCalls, limits.queuedCalls);
  const breaker = circuitBreaker(handleType(RegisterUnavailable), {
    breaker: new ConsecutiveBreaker(limits.failuresToOpen),
    halfOpenAfter: new DelegateBackoff(({ attempt }) => {
      // Jitter of a fifth, so that the processes of one installation do not probe at the same time.
      const ms = Math.min(limits.openMs * 2 ** (attempt - 1), limits.maxOpenMs);
      openMs = ms * (0.8 + 0.4 * Math.random());
      // The breaker would wait by the system clock, which may be set back: `pausedUntil` keeps calls away instead.
      return -Infinity;
    }),
  });
  breaker.onBreak(() => pauseFor(openMs));

  function pauseFor(ms: number): void {
    pausedUntil = Math.max(pausedUntil, performance.now() + ms);
  }

  function secondsUntilNextCall(): number | null {
    const seconds = Math.ceil((pausedUntil - performance.now()) / 1_000);
    return seconds > 0 ? seconds : null;
  }

  function requireCallsAllowed(): void {
    const seconds = secondsUntilNextCall();
    if (seconds !== null) throw new RegisterUnavailable('calls to the register are paused', seconds);
    // The breaker would queue these calls behind the probe.
    if (breaker.state === CircuitState.HalfOpen) {
      throw new RegisterUnavailable('the register is being probed', RETRY_AFTER_SECONDS);
    }
  }

  return {
    /** @throws {RegisterUnavailable} at once while calls are not allowed or the queue is full */
    async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      requireCallsAllowed();
      // A call that waited in line belongs to its own request, not to the one whose end let it start.
      const own = AsyncLocalStorage.bind(work);
      try {
        return await slots.execute(() => {
          requireCallsAllowed();
          return breaker.execute(own);
        }, signal);
      } catch (error) {
        throw toUnavailable(error);
      }
    },
    /** Stops all calls for a while because the register asked for that. */
    pause: (ms: number) => pauseFor(Math.min(ms, limits.maxPauseMs)),
    secondsUntilNextCall,
    state() {
      const isForgotten = performance.now() - pausedUntil > FORGOTTEN_MS;
      return breaker.state === CircuitState.Open && isForgotten ? 'closed' : STATES[breaker.state];
    },
    callsUnderWay: () => limits.concurrentCalls - slots.executionSlots,
    callsQueued: () => limits.queuedCalls - slots.queueSlots,
  };
}

function toUnavailable(error: unknown): unknown {
  if (isBulkheadRejectedError(error)) {
    return new RegisterUnavailable('too many look-ups wait in line', 1, { fault: 'limit' });
  }
  if (isTaskCancelledError(error) || isBrokenCircuitError(error)) {
    return new RegisterUnavailable(
      'the register failed several times in a row, so calls to it are paused',
      RETRY_AFTER_SECONDS,
    );
  }
  return error;
}

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
import { RETRY_LATER } from './request.ts';
import { RegisterUnavailable } from '../register.ts';

type BreakerState = 'closed' | 'open' | 'half-open';

/** Times in milliseconds. */
export type GuardOptions = {
  /** Calls under way at the same time. */
  concurrentCalls: number;
  /** Calls that may wait for one of those to end. */
  queuedCalls: number;
  /** Failures in a row that open the breaker. */
  failuresToOpen: number;
  /** How long the breaker stays open at first; each failed probe doubles it. */
  openMs: number;
  longestOpenMs: number;
  /** The longest that {@link Guard.holdOff} is heeded. */
  longestHoldOffMs: number;
};

/** Stands between the clients and the register: a dead one costs them next to nothing, a slow one not all. */
export type Guard = {
  /**
   * Does the work when there is room and the register is not known to be down.
   * @throws {RegisterUnavailable} at once when there is not or it is; else what the work throws
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lets nothing through for a while, because the register asked for that. Milliseconds. */
  holdOff(ms: number): void;
  state(): BreakerState;
  /** Whole seconds until the register is asked again, null while it is being asked. */
  secondsClosedOff(): number | null;
  underWay(): number;
  inLine(): number;
};

const STATES = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Isolated]: 'open',
} as const;

/** Every {@link RegisterUnavailable} that the work throws counts as a failure of the register. */
export function guard(options: GuardOptions): Guard {
  let openMs = 0;
  let openUntil = 0;
  let heldOffUntil = 0;

  const slots = bulkhead(options.concurrentCalls, options.queuedCalls);
  const breaker = circuitBreaker(handleType(RegisterUnavailable), {
    breaker: new ConsecutiveBreaker(options.failuresToOpen),
    halfOpenAfter: new DelegateBackoff(({ attempt }) => {
      // A fifth more or less, so that the nodes of one installation do not all probe at once.
      const ms = Math.min(options.openMs * 2 ** (attempt - 1), options.longestOpenMs);
      openMs = ms * (0.8 + 0.4 * Math.random());
      return openMs;
    }),
  });
  breaker.onBreak(() => {
    openUntil = Date.now() + openMs;
  });

  const secondsClosedOff = (): number | null => {
    const until = Math.max(breaker.state === CircuitState.Open ? openUntil : 0, heldOffUntil);
    const seconds = Math.ceil((until - Date.now()) / 1_000);
    return seconds > 0 ? seconds : null;
  };

  const refuseWhileClosedOff = (): void => {
    const seconds = secondsClosedOff();
    if (seconds !== null) throw new RegisterUnavailable('the register is not asked for a while', seconds);
    // The breaker itself would let all of these wait for the probe.
    if (breaker.state === CircuitState.HalfOpen) {
      throw new RegisterUnavailable('the register is being probed', RETRY_LATER);
    }
  };

  return {
    async run(work, signal) {
      refuseWhileClosedOff();
      try {
        return await slots.execute(() => {
          refuseWhileClosedOff();
          return breaker.execute(work);
        }, signal);
      } catch (error) {
        throw inOurWords(error);
      }
    },
    holdOff(ms) {
      heldOffUntil = Math.max(heldOffUntil, Date.now() + Math.min(ms, options.longestHoldOffMs));
    },
    state: () => STATES[breaker.state],
    secondsClosedOff,
    underWay: () => options.concurrentCalls - slots.executionSlots,
    inLine: () => options.queuedCalls - slots.queueSlots,
  };
}

function inOurWords(error: unknown): unknown {
  if (isBulkheadRejectedError(error)) return new RegisterUnavailable('too many look-ups wait in line', 1);
  if (isTaskCancelledError(error)) return new RegisterUnavailable('no turn in time', RETRY_LATER);
  if (isBrokenCircuitError(error)) return new RegisterUnavailable('the breaker is open', RETRY_LATER);
  return error;
}

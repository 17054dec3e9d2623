import { useState } from 'react';
import { CallProblem } from './problem.ts';

/**
 * Why a record cannot be shown: it is gone, was never there, or its address is invalid. The reason is kept while the
 * record is looked up again, as after every change of another record: the query forgets its error meanwhile.
 */
export function useMissing({ data, error }: { data: unknown; error: unknown }): CallProblem | undefined {
  const [missing, setMissing] = useState<CallProblem>();
  const isKept = data === undefined && error === null;
  const now = isKept ? missing : isMissing(error) ? error : undefined;
  if (now !== missing) setMissing(now);
  return now;
}

function isMissing(error: unknown): error is CallProblem {
  return error instanceof CallProblem && [400, 404].includes(error.status);
}

import { useRef } from 'react';
import { newId } from '../../client/new-id.ts';

/** Idempotency keys of a form: the same for the same request, so that sending it again adds nothing twice. */
export function useRequestKeys(): (request: string) => string {
  const keys = useRef(new Map<string, string>());
  return (request) => {
    const key = keys.current.get(request) ?? newId();
    keys.current.set(request, key);
    return key;
  };
}

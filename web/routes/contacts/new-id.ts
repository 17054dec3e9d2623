import { useRef } from 'react';

/** A UUID of version 7, ordered by time. Browsers have `randomUUID` on secure pages alone. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const time = Date.now();
  for (let at = 0; at < 6; at++) bytes[at] = Math.floor(time / 2 ** (8 * (5 - at))) % 256;
  bytes[6] = (bytes[6]! % 16) + 0x70;
  bytes[8] = (bytes[8]! % 64) + 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Idempotency keys of a form: the same for the same request, so that sending it again adds nothing twice. */
export function useRequestKeys(): (request: string) => string {
  const keys = useRef(new Map<string, string>());
  return (request) => {
    const key = keys.current.get(request) ?? newId();
    keys.current.set(request, key);
    return key;
  };
}

import type { Route } from './call.ts';

/** Routes that change who is signed in, or in which workspace, for every tab of the browser. */
const CHANGES = new Set<Route>([
  'POST /session/workspace',
  'POST /sign-in',
  'POST /sign-in/passkey',
  'POST /sign-in/provider/finish',
  'POST /sign-out',
  'POST /welcome/{token}',
]);

let opened: BroadcastChannel | undefined;

/** A single channel: it does not receive what it sends itself. */
function channel(): BroadcastChannel {
  return (opened ??= new BroadcastChannel('kundebok.session'));
}

/** Tells the other tabs if a call of this route changes the session. */
export function tellTabs(route: Route): void {
  if (CHANGES.has(route)) channel().postMessage('changed');
}

/** @param look called when another tab has changed the session @returns a function that ends this */
export function whenTabsTell(look: () => void): () => void {
  channel().addEventListener('message', look);
  return () => channel().removeEventListener('message', look);
}

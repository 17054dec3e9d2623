import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Whether there is a network, as far as the browser knows: without one, queries wait for it. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => onlineManager.isOnline());
}

/** Downloads under way when the network is lost fail one by one, and a new try may wait for one that is yet to fail. */
const TRIES_ONCE_BACK = 3;
const BETWEEN_TRIES_MS = 1_000;

/** Loads code of the application; what fails without a network is loaded again once it is back. */
export async function loadCode<Module>(load: () => Promise<Module>, triesLeft = 0): Promise<Module> {
  const wasOnline = onlineManager.isOnline();
  try {
    return await load();
  } catch (error) {
    // The network may be back before the failure is known.
    const tries = wasOnline && onlineManager.isOnline() ? triesLeft : TRIES_ONCE_BACK;
    if (tries === 0) throw error;
    if (!onlineManager.isOnline()) await backOnline();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    return loadCode(load, tries - 1);
  }
}

/** Once the network is back, requests failed style sheets again: Vite requests each only once. */
export function repairStyles(): void {
  // The error of an element does not bubble.
  window.addEventListener('error', (event) => void repairStyle(event), { capture: true });
}

async function repairStyle({ target }: Event): Promise<void> {
  if (!(target instanceof HTMLLinkElement)) return;
  await backOnline();
  target.replaceWith(target.cloneNode());
}

function subscribe(listener: () => void): () => void {
  return onlineManager.subscribe(listener);
}

function backOnline(): Promise<void> {
  return new Promise((resolve) => {
    const end = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      end();
      resolve();
    });
  });
}

import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Whether there is a network, as far as the browser has told: without one, queries wait for it. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => onlineManager.isOnline());
}

/** Loads code of the application; without a network, waits until it is back. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (onlineManager.isOnline()) throw error;
    await backOnline();
    return loadCode(load);
  }
}

/** Requests style sheets that failed again once the network is back: Vite requests each only once. */
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

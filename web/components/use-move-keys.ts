import { useCommands } from '../frame/commands.tsx';

/** j and k move in a list. */
export function useMoveKeys(label: string, move: (by: 1 | -1) => void, isOn = true): void {
  const command = (keys: string, by: 1 | -1) => {
    return { id: `${label} ${keys}`, label, group: label, keys, isHidden: true, run: () => move(by) };
  };
  useCommands(isOn ? [command('j', 1), command('k', -1)] : []);
}

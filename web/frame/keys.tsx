import './keys.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A shortcut as it is written on the keyboard: `g c`, `Mod+k`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keys
        .replace('Mod+', isApple ? '⌘ ' : 'Ctrl ')
        .replace('Escape', 'Esc')
        .split(' ')
        .map((key) => (
          <kbd key={key}>{key.length === 1 ? key.toUpperCase() : key}</kbd>
        ))}
    </span>
  );
}

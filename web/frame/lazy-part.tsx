import { lazy, useEffect, useEffectEvent, type ComponentType } from 'react';
import { loadCode } from '../client/online.ts';
import { useWords } from '../words/dictionary.ts';
import { useToast } from './toasts.tsx';
import { frameWords } from './words.ts';

/**
 * A part of a page whose code is loaded when it is needed. A newer release may no longer have it: then a message says
 * so, and the page stays with what was typed.
 * @param Instead what is shown in its place
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Instead: ComponentType<Props> = Nothing,
) {
  let isTold = false;
  /** A part with `onClose` is closed at once, and the message comes each time that it is opened. */
  function Missing(props: Props & { onClose?: () => void }) {
    const words = useWords(frameWords);
    const toast = useToast();
    const { onClose } = props;
    const tell = useEffectEvent(() => {
      if (isTold && !onClose) return;
      isTold = true;
      toast({
        of: ['page code'],
        text: words.notLoaded,
        kind: 'failed',
        action: words.reload,
        onUndo: () => window.location.reload(),
      });
      onClose?.();
    });
    useEffect(() => tell(), []);
    return <Instead {...props} />;
  }
  return lazy(async () => {
    try {
      return { default: await loadCode(load) };
    } catch {
      return { default: Missing as ComponentType<Props> };
    }
  });
}

function Nothing(): null {
  return null;
}

import { useId } from 'react';
import { useToast } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { IconButton } from './icon-button.tsx';
import './copy-line.css';
import './field.css';

/** A line to be copied as it stands: an id, a key, a command. */
export function CopyLine({ label, text }: { label: string; text: string }) {
  const words = useWords(shared);
  const toast = useToast();
  const id = useId();
  return (
    <div className="copy-line" role="group" aria-labelledby={id}>
      <span id={id} className="field-label">
        {label}
      </span>
      <div className="copy-line-box">
        <code>{text}</code>
        {/* Browsers have no clipboard on http pages, except on localhost. */}
        {navigator.clipboard !== undefined && (
          <IconButton
            icon="copy"
            label={`${words.copy}: ${label}`}
            onPress={() =>
              void navigator.clipboard.writeText(text).then(
                () => toast({ text: words.copied }),
                () => toast({ text: words.notCopied, kind: 'failed' }),
              )
            }
          />
        )}
      </div>
    </div>
  );
}

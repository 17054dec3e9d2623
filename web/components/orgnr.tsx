import { useToast } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useFormat } from '../words/format.ts';
import { shared } from '../words/shared.ts';
import { IconButton } from './icon-button.tsx';

/** An organisation number in groups, copied without spaces. */
export function Orgnr({ number, copy = true }: { number: string; copy?: boolean }) {
  const words = useWords(shared);
  const format = useFormat();
  const toast = useToast();
  return (
    <span className="numeric orgnr">
      {format.orgnr(number)}
      {/* Browsers have no clipboard on http pages, except on localhost. */}
      {copy && navigator.clipboard !== undefined && (
        <IconButton
          icon="copy"
          label={`${words.copy} ${format.orgnr(number)}`}
          onPress={() =>
            void navigator.clipboard.writeText(number).then(
              () => toast({ text: words.copied }),
              () => toast({ text: words.notCopied, kind: 'failed' }),
            )
          }
        />
      )}
    </span>
  );
}

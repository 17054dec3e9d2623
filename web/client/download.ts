import type { MouseEvent } from 'react';
import { useToast } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { askForFile } from './call.ts';

/**
 * Follows a link to a CSV file only if the file will be sent: browsers say of a refused download only that it failed.
 * Here a message says why.
 * @returns the link's handler of clicks
 */
export function useDownload(address: string): (event: MouseEvent) => void {
  const toast = useToast();
  const problemText = useProblemText();
  const { twoFiles } = useWords(shared);
  const download = async () => {
    try {
      await askForFile(address);
    } catch (error) {
      toast({ text: problemText(error, { two_files: twoFiles }), kind: 'failed' });
      return;
    }
    const link = document.createElement('a');
    link.href = address;
    link.download = '';
    link.click();
  };
  return (event) => {
    event.preventDefault();
    void download();
  };
}

import { useRole } from '../../client/session.ts';
import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { useDemo } from './use-demo.ts';
import { homeWords } from './words.ts';

/** Says that what is shown is invented, and takes it away with one click. */
export function DemoBand({ demo, remove }: Pick<ReturnType<typeof useDemo>, 'demo' | 'remove'>) {
  const words = useWords(homeWords);
  const isOwner = useRole('owner');
  if (demo?.state === 'removing') return <Band>{words.removingDemo}</Band>;
  if (demo?.state !== 'there') return null;
  const action = isOwner && (
    <Button size="small" onPress={() => remove.isPending || remove.mutate()}>
      {words.removeDemo}
    </Button>
  );
  return <Band actions={action}>{isOwner ? words.demoBand : words.demoBandMember}</Band>;
}

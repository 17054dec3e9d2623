import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Import } from '../../../src/imports/schema.ts';
import { useRole } from '../../client/session.ts';
import { Band } from '../../components/band.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { ChooseFile } from './choose-file.tsx';
import { Earlier } from './earlier.tsx';
import { MatchColumns } from './match-columns.tsx';
import { Review } from './review.tsx';
import { Steps } from './steps.tsx';
import { useImport } from './use-import.ts';
import { words } from './words.ts';
import './table.css';
import './earlier.css';
// Last, because its rules for narrow screens override those of the other files.
import './import.css';

export function ImportPage() {
  const { import: title } = useWords(shared);
  const { noRole, seeMembers } = useWords(words);
  const isAdmin = useRole('admin');
  return (
    <Page title={title}>
      {isAdmin ? (
        <div className="import">
          <ImportSteps />
        </div>
      ) : (
        <Empty action={<LinkButton to="/settings/members">{seeMembers}</LinkButton>}>{noRole}</Empty>
      )}
    </Page>
  );
}

/** Asks before a visit to another page, which stops the import. */
function LeaveDialog({ isReading }: { isReading: boolean }) {
  const said = useWords(words);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isReading && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  const isOver = status === 'blocked' && !isReading;
  useEffect(() => {
    // The import has ended, so there is nothing to ask. The person stays on the page, which shows the results.
    if (isOver) reset();
  }, [isOver, reset]);
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog title={said.leaveTitle} action={said.leaveAction} onConfirm={proceed} onClose={reset}>
      {said.leaveText}
    </ConfirmDialog>
  );
}

function ImportSteps() {
  const said = useWords(words);
  const text = useProblemText();
  const importing = useImport();
  const { step, failure } = importing;
  const resume = (interrupted: Import) => {
    importing.resume(interrupted);
    // What to do next is below this heading, which may have been scrolled out of view.
    document.querySelector<HTMLElement>('.import-heading')?.focus();
  };
  return (
    <>
      <Steps step={step} />
      <LeaveDialog isReading={step === 'done' && importing.progress !== undefined} />
      <div role="alert">
        {failure !== undefined && (
          <Band kind="danger">{text(failure, { import_undone: said.importUndone })}</Band>
        )}
      </div>
      {step === 'file' && <ChooseFile importing={importing} />}
      {step === 'columns' && <MatchColumns importing={importing} />}
      {(step === 'review' || step === 'done') && <Review importing={importing} />}
      {(step === 'file' || (step === 'done' && importing.progress === undefined)) && (
        <Earlier own={importing.going?.id} onResume={resume} />
      )}
    </>
  );
}

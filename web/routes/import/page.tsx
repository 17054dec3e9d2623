import { useRole } from '../../client/session.ts';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { ChooseFile } from './choose-file.tsx';
import { Earlier } from './earlier.tsx';
import { MatchColumns } from './match-columns.tsx';
import { Review } from './review.tsx';
import { Steps } from './steps.tsx';
import { useImport } from './use-import.ts';
import { words } from './words.ts';
import './import.css';

export function ImportPage() {
  const { import: title } = useWords(shared);
  const { noRole } = useWords(words);
  const isAdmin = useRole('admin');
  return (
    <Page title={title}>
      <div className="import">{isAdmin ? <ImportSteps /> : <p>{noRole}</p>}</div>
    </Page>
  );
}

function ImportSteps() {
  const importing = useImport();
  const { step } = importing;
  return (
    <>
      <Steps step={step} />
      {step === 'file' && <ChooseFile importing={importing} />}
      {step === 'columns' && <MatchColumns importing={importing} />}
      {(step === 'review' || step === 'done') && <Review importing={importing} />}
      {(step === 'file' || (step === 'done' && importing.progress === undefined)) && (
        <Earlier onResume={(interrupted) => importing.resume(interrupted)} />
      )}
    </>
  );
}

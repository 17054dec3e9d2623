import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { call } from '../../client/call.ts';
import { findUnits } from '../../client/register.ts';
import { useRole } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { useFocusBack } from '../../components/focus-back.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { SandboxNote } from '../../components/sandbox-note.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useTellIfLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import type { useDemo } from './use-demo.ts';
import { homeWords } from './words.ts';

/** What an empty workspace offers: a company, a file, or demo data. */
export function Starts({ demo, add }: Pick<ReturnType<typeof useDemo>, 'demo' | 'add'>) {
  const words = useWords(homeWords);
  const mayImport = useRole('admin');
  const isOwner = useRole('owner');
  const isAdding = demo?.state === 'adding' || add.isPending;
  useFocusBack();
  return (
    <section className="starts" aria-labelledby="starts">
      <h2 id="starts">{words.start}</h2>
      <p className="muted">{words.startIntro}</p>
      <ul>
        <Start
          icon="companies"
          title={words.startCompany}
          text={words.startCompanyText}
          note={<SandboxNote className="muted" />}
        >
          <AddCompany />
        </Start>
        {mayImport && (
          <Start icon="import" title={words.startImport} text={words.startImportText}>
            <LinkButton to="/import">{words.startImportAction}</LinkButton>
          </Start>
        )}
        {isOwner ? (
          <Start icon="search" title={words.startDemo} text={words.startDemoText}>
            <Button onPress={() => isAdding || add.mutate()}>
              {isAdding ? words.addingDemo : words.startDemoAction}
            </Button>
            <span className="visually-hidden" role="status">
              {isAdding && words.addingDemo}
            </span>
          </Start>
        ) : (
          <Start icon="search" title={words.startDemo} text={isAdding ? words.addingDemo : words.askOwner} />
        )}
      </ul>
    </section>
  );
}

function Start({
  icon,
  title,
  text,
  note,
  children,
}: {
  icon: IconName;
  title: string;
  text: string;
  note?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className="start">
      <Icon name={icon} />
      <div>
        <h3>{title}</h3>
        <p className="muted">{text}</p>
        {note}
      </div>
      {children && <div className="start-action">{children}</div>}
    </li>
  );
}

/** Finds a company in the register by name or number, adds it, and goes there. */
function AddCompany() {
  const words = useWords(homeWords);
  const format = useFormat();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const tellIfLeft = useTellIfLeft();
  const problemText = useProblemText();
  const [problem, setProblem] = useState<string>();
  const search = async (text: string, signal: AbortSignal): Promise<readonly Found[]> => {
    const units = await findUnits(text, signal);
    return units.map(({ orgnr, name }) => ({ id: orgnr, label: name, detail: format.orgnr(orgnr) }));
  };
  const choose = async (found: Found | null) => {
    setProblem(undefined);
    if (!found) return;
    try {
      const { data } = await call('POST /companies', { body: { orgnr: found.id } });
      void client.invalidateQueries({ queryKey: ['companies'] });
      if (data.created) toast({ text: words.companyAdded(data.data.name) });
      // This component may be gone while the home page is still shown: with a company, the workspace is not empty.
      if (window.location.pathname !== '/') return;
      await navigate({ to: '/companies/$orgnr', params: { orgnr: found.id } });
    } catch (error) {
      tellIfLeft(problemText(error));
      setProblem(problemText(error));
    }
  };
  return (
    <ComboBox
      label={words.startField}
      hideLabel
      placeholder={words.startField}
      searchKey={['register', 'choose']}
      search={search}
      minLength={1}
      onChoose={(found) => void choose(found)}
      error={problem}
    />
  );
}

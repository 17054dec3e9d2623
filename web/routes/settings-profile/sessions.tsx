import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { words } from './words.ts';

const sessionsQuery = queryOf('GET /sessions');

export function Sessions() {
  const said = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const text = useProblemText();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const heading = useRef<HTMLHeadingElement>(null);
  const run = async (ending: Promise<unknown>, done: string) => {
    try {
      await ending;
      toast({ text: done });
    } catch (failure) {
      toast({ text: text(failure), kind: 'failed' });
    }
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    // The button that was pressed goes with its session.
    focusIfLost(heading.current);
  };
  const end = (id: string) => run(call('DELETE /sessions/{id}', { params: { id } }), said.ended);
  const endOthers = () => run(call('POST /sessions/end-others'), said.othersEnded);
  const sessions = data?.data.data;
  return (
    <section className="profile-part" aria-labelledby="profile-sessions">
      <h2 id="profile-sessions" ref={heading} tabIndex={-1}>
        {said.sessions}
      </h2>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!sessions && !error && <Skeleton kind="text" />}
      {sessions && (
        <ul className="profile-list">
          {sessions.map(({ id, user_agent: agent, network, last_used_at: used, is_current: isCurrent }) => {
            const name = nameOf(agent, said);
            return (
              <li key={id}>
                <div>
                  <p className="profile-what">{name}</p>
                  <p className="profile-since">
                    {isCurrent ? said.here : `${said.used} ${format.relative(used)}`} · {network}
                  </p>
                </div>
                {!isCurrent && (
                  <Button
                    size="small"
                    aria-label={said.endNamed(`${name}, ${format.relative(used)}`)}
                    onPress={() => void end(id)}
                  >
                    {said.end}
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {sessions && sessions.length > 1 && <Button onPress={() => void endOthers()}>{said.endOthers}</Button>}
    </section>
  );
}

/** Roughly: a User-Agent names several browsers, the real one last or just before Safari. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'];
const NAMES: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Mac: 'macOS' };

function nameOf(
  agent: string,
  said: { on: (browser: string, system: string) => string; unknown: string },
): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) => known.find((word) => agent.includes(word)));
  if (!browser || !system) return agent.slice(0, 60) || said.unknown;
  return said.on(NAMES[browser] ?? browser, NAMES[system] ?? system);
}

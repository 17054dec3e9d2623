import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../client/application.ts';
import { call } from '../../client/call.ts';
import { hasPasskeys } from '../../client/has-passkeys.ts';
import { isProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { leaveForProvider } from '../../client/single-sign-on.ts';
import { Form, SubmitButton } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { words } from './words.ts';

/** After these, the invitation is ignored. One for another account can be opened again. */
const ENDS_LINK = ['link_used', 'not_found', 'sign_in_first'] as const;

/** Every way to sign in. */
export function SignInForm({
  next,
  link,
  email,
  keepsPage = false,
  onLinkEnded,
  onSignedIn,
}: {
  /** Where the identity provider leads back to. */
  next: string;
  /** An invitation that signing in accepts. */
  link?: string | undefined;
  /** Whose sign-in it is, where that is known. */
  email?: string;
  /** Whether this page must survive the sign-in. */
  keepsPage?: boolean;
  /** The link accepts nothing any more: the next attempt is one without it. */
  onLinkEnded?: () => void;
  onSignedIn: (session: Session) => void;
}) {
  const said = useWords(words);
  const methods = useQuery(queryOf('GET /sign-in/methods')).data?.data.data;
  const watchLink = (error: unknown): never => {
    if (ENDS_LINK.some((code) => isProblem(error, code))) onLinkEnded?.();
    throw error;
  };
  return (
    <>
      <Form
        ownWords={{ sign_in_failed: said.wrong, rate_limited: said.tooMany, sign_in_first: said.other }}
        onSubmit={async ({ email: address = '', password = '' }) => {
          const body = { email: address, password, link };
          onSignedIn((await call('POST /sign-in', { body }).catch(watchLink)).data.data);
        }}
      >
        <TextField
          name="email"
          type="email"
          label={said.email}
          autoComplete="username webauthn"
          isRequired
          {...(email === undefined ? { autoFocus: true } : { defaultValue: email })}
        />
        <TextField
          name="password"
          type="password"
          label={said.password}
          autoComplete="current-password"
          isRequired
          autoFocus={email !== undefined}
        />
        <SubmitButton kind="primary">{said.submit}</SubmitButton>
      </Form>
      {(hasPasskeys() || methods?.sso) && (
        <div className="doorway-or" aria-hidden="true">
          {said.or}
        </div>
      )}
      {hasPasskeys() && <PasskeyButton link={link} onRefused={watchLink} onSignedIn={onSignedIn} />}
      {methods?.sso && (
        <Form onSubmit={() => leaveForProvider('sign-in', next, { link, keepsPage }).catch(watchLink)}>
          <SubmitButton>{said.sso(methods.sso_name ?? '')}</SubmitButton>
        </Form>
      )}
      <p className="muted">{said.help}</p>
    </>
  );
}

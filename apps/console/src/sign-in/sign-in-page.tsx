import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { aas, ApiError, type Caller } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { CALLER, reportSignedIn, safeReturnPath } from '../data/session.js';
import icon from '../ui/icon.svg';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import { SignInForm } from './sign-in-form.js';
import styles from './sign-in.module.css';

/** Explanations of the error codes that a failed sign-in with an identity provider adds to the page URL. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_sign_in: 'The identity provider did not confirm your identity, or you are not a member of this workspace.',
  sign_in_off: 'This sign-in method is disabled.',
};

export function SignInPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const returnTo = one(search.return_to);
  const refusal = one(search.error);
  const navigate = useNavigate();
  const enter = (caller: Caller): void => {
    queryClient.clear();
    queryClient.setQueryData(CALLER, caller);
    reportSignedIn();
    void navigate({ href: `/console${safeReturnPath(returnTo)}`, replace: true });
  };
  const link = useLinkToken(enter);
  useEffect(() => {
    document.title = 'Sign in · Agent Automation';
  }, []);
  return (
    <div className={styles.page}>
      <main id="main" className={styles.box} aria-busy={link.isSpending}>
        <div className={styles.product}>
          <img src={icon} alt="" /> Agent Automation
        </div>
        <h1>Sign in</h1>
        {link.isSpending ? (
          <p role="status">Signing in …</p>
        ) : (
          <>
            {refusal !== undefined && (
              <AlertBox
                title="You are not signed in"
                detail={REFUSALS[refusal] ?? `The identity provider rejected the sign-in (${refusal}).`}
                remedy="Try again, or sign in another way."
              />
            )}
            <LinkFailure error={link.error} />
            <SignInForm returnTo={`/console${safeReturnPath(returnTo)}`} onSignedIn={enter} />
          </>
        )}
      </main>
    </div>
  );
}

function LinkFailure({ error }: { error: unknown }): ReactNode {
  if (error instanceof ApiError && error.status === 401)
    return (
      <AlertBox
        title="You are not signed in"
        detail="The link was used or has expired."
        remedy="Ask for a new one, or sign in another way."
        requestId={error.requestId}
      />
    );
  return <ProblemAlert error={error} />;
}

/**
 * The sign-in in progress. It is kept outside the component, because a token works only once and React may mount a
 * component more than once.
 */
let spending: Promise<Caller> | undefined;

/**
 * Signs in with the token of the page URL. Removes the token from the URL first, so that the browser history does not
 * contain it.
 */
function spendToken(): Promise<Caller> | undefined {
  const token = location.hash.slice(1);
  if (token === '') return spending;
  history.replaceState(history.state, '', location.pathname + location.search);
  spending = aas.auth.link({ token });
  return spending;
}

function useLinkToken(onSignedIn: (caller: Caller) => void): { isSpending: boolean; error: unknown } {
  const [attempt] = useState(spendToken);
  const [state, setState] = useState<{ isSpending: boolean; error: unknown }>({
    isSpending: attempt !== undefined,
    error: undefined,
  });
  useEffect(() => {
    attempt?.then(onSignedIn, (error: unknown) => setState({ isSpending: false, error }));
    // A link that is opened in this tab changes only the hash, which loads nothing.
    const load = (): void => location.reload();
    window.addEventListener('hashchange', load);
    return () => window.removeEventListener('hashchange', load);
  }, []);
  return state;
}

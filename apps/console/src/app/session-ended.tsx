import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { SignInForm } from '../sign-in/sign-in-form.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import type { Caller } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { CALLER, reportSignedIn, useCaller, useSessionState } from '../data/session.js';
import { useStepUp } from '../data/step-up.js';

/**
 * Redirects a person without a session to the sign-in page, and back after the sign-in. If the session ends while a
 * page is open, shows the sign-in form over the page instead, so that typed text is not lost.
 */
export function SessionEnded(): ReactNode {
  const state = useSessionState();
  const member = useCaller()?.member;
  const { href } = useLocation();
  const navigate = useNavigate();
  const here = `/console${href}`;
  useEffect(() => {
    const isThere = here.startsWith('/console/sign-in');
    if (state === 'none' && !isThere) void navigate({ to: '/sign-in', search: { return_to: here }, replace: true });
  }, [state, here, navigate]);
  return (
    <Dialog title="Your session has ended" isOpen={state === 'ended'} onClose={() => undefined} isDismissable={false}>
      <p>Sign in again. The text that you have typed stays on the page.</p>
      <SignInForm returnTo={here} onSignedIn={continueAs} member={member} />
    </Dialog>
  );
}

/**
 * Continues on the same page with the new session. If a different person has signed in, reloads the page, so that this
 * person does not see the data of the previous person.
 */
function continueAs(caller: Caller): void {
  const before = queryClient.getQueryData<Caller>(CALLER);
  if (before !== undefined && before.member !== caller.member) location.reload();
  queryClient.setQueryData(CALLER, caller);
  reportSignedIn();
  void queryClient.invalidateQueries();
}

/**
 * Shows the sign-in form over the page if a request needs a recent sign-in. After the sign-in, the request is sent
 * again.
 */
export function SignInAgain(): ReactNode {
  const question = useStepUp();
  const member = useCaller()?.member;
  const { href } = useLocation();
  const signedIn = (caller: Caller): void => {
    continueAs(caller);
    question?.answer(true);
  };
  return (
    <Dialog title="Sign in again" isOpen={question !== undefined} onClose={() => question?.answer(false)}>
      <p>{question?.reason} After the sign-in, the request is sent again.</p>
      <SignInForm returnTo={`/console${href}`} onSignedIn={signedIn} member={member} />
      <DialogActions>
        <Button onClick={() => question?.answer(false)}>Cancel</Button>
      </DialogActions>
    </Dialog>
  );
}

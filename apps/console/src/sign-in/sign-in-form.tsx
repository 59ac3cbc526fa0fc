import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, type ReactNode, useState } from 'react';
import { aas, type Caller } from '../data/api.js';
import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './sign-in.module.css';

export interface SignInFormProps {
  /** Path below `/console/` to which the person returns after a sign-in at an identity provider. */
  returnTo: string;
  onSignedIn: (caller: Caller) => void;
  /** E-mail address of the person who is asked to sign in again. This person can paste a link into the form. */
  member?: string | undefined;
}

/** Offers the sign-in methods of this installation. */
export function SignInForm({ returnTo, onSignedIn, member }: SignInFormProps): ReactNode {
  const { data, error, isPending } = useQuery({
    queryKey: ['sign-in', 'methods'],
    queryFn: () => aas.auth.methods(),
    staleTime: Infinity,
  });
  // Until the methods have loaded, the most common form is laid out unseen, so that the page does not shift.
  const methods = data?.methods ?? (isPending ? ['key'] : []);
  return (
    <div className={isPending ? `${styles.ways} ${styles.pending}` : styles.ways}>
      <ProblemAlert error={error} />
      {methods.includes('oidc') && (
        <a className={styles.provider} href={`/auth/oidc?return_to=${encodeURIComponent(returnTo)}`}>
          Single sign-on
        </a>
      )}
      {methods.includes('email') && <EmailForm onSignedIn={onSignedIn} />}
      {methods.includes('key') && <KeyForm onSignedIn={onSignedIn} isFirst={member === undefined} />}
      {data !== undefined && member !== undefined && <LinkForm member={member} onSignedIn={onSignedIn} />}
    </div>
  );
}

type FormProps = Pick<SignInFormProps, 'onSignedIn'>;

function KeyForm({ onSignedIn, isFirst }: FormProps & { isFirst: boolean }): ReactNode {
  const [apiKey, setApiKey] = useState('');
  const signIn = useMutation({
    mutationFn: () => aas.auth.key({ api_key: apiKey.trim() }),
    onSuccess: onSignedIn,
  });
  return (
    <Form onSubmit={() => signIn.mutate()}>
      <TextField label="API key" value={apiKey} onChange={setApiKey} masked />
      <ProblemAlert error={signIn.error} />
      <Button type="submit" look="primary">
        Sign in
      </Button>
      {isFirst && (
        <p className={styles.lead}>
          The first API key: <code>npm start</code> writes it to <code>.data/admin.key</code>, and{' '}
          <code>npm run workspaces -- create</code> prints it. An admin creates more keys.
        </p>
      )}
    </Form>
  );
}

/**
 * Accepts a sign-in link over the page. A person without an API key, such as the first admin, needs no other way, and
 * opening the link itself would leave the page.
 */
function LinkForm({ member, onSignedIn }: FormProps & { member: string }): ReactNode {
  const [link, setLink] = useState('');
  const signIn = useMutation({
    mutationFn: () => aas.auth.link({ token: link.trim().split('#').at(-1) ?? '' }),
    onSuccess: onSignedIn,
  });
  const command = `npm run keys -- sign-in-link --email ${member}`;
  return (
    <Form onSubmit={() => signIn.mutate()}>
      <p>The operator of the service prints a link for you with this command. Paste the link here.</p>
      <p className={styles.command}>
        <code>{command}</code> <CopyButton text={command} name="Copy command" />
      </p>
      <TextField label="Sign-in link" value={link} onChange={setLink} masked />
      <ProblemAlert error={signIn.error} />
      <Button type="submit">Use link</Button>
    </Form>
  );
}

function EmailForm({ onSignedIn }: FormProps): ReactNode {
  const [email, setEmail] = useState('');
  const send = useMutation({ mutationFn: () => aas.auth.email({ email: email.trim() }) });
  return (
    <>
      <Form onSubmit={() => send.mutate()}>
        <TextField label="E-mail" value={email} onChange={setEmail} inputMode="email" autoComplete="email" />
        <ProblemAlert error={send.error} />
        <Button type="submit">Send link</Button>
      </Form>
      {send.isSuccess && <CodeForm email={email.trim()} onSignedIn={onSignedIn} />}
    </>
  );
}

function CodeForm({ email, onSignedIn }: FormProps & { email: string }): ReactNode {
  const [code, setCode] = useState('');
  const verify = useMutation({
    mutationFn: () => aas.auth.verifyEmail({ email, code: code.trim() }),
    onSuccess: onSignedIn,
  });
  return (
    <Form onSubmit={() => verify.mutate()}>
      <p role="status">
        If {email} belongs to a member, a mail has been sent. Open the link in the mail, or enter its code here.
      </p>
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
      />
      <ProblemAlert error={verify.error} />
      <Button type="submit" look="primary">
        Verify
      </Button>
    </Form>
  );
}

function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }): ReactNode {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
    </form>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, type ReactNode, useState } from 'react';
import { aas, type Caller } from '../data/api.js';
import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { TextField } from '../ui/field.js';
import { Disclosure } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './sign-in.module.css';

export interface SignInFormProps {
  /** Path below `/console/` to which the person returns after a sign-in at an identity provider. */
  returnTo: string;
  onSignedIn: (caller: Caller) => void;
  /** E-mail address of the person who is asked to sign in again. This person can paste a link into the form. */
  member?: string | undefined;
}

/** Offers the sign-in methods of this installation: first what a person gets from others, then an API key instead. */
export function SignInForm({ returnTo, onSignedIn, member }: SignInFormProps): ReactNode {
  const { data, error, isPending } = useQuery({
    queryKey: ['sign-in', 'methods'],
    queryFn: () => aas.auth.methods(),
    staleTime: Infinity,
  });
  const [isKeyChosen, setKeyChosen] = useState(false);
  // Until the methods have loaded, the most common forms are laid out unseen, so that the page does not shift.
  const methods = data?.methods ?? (isPending ? ['link', 'key'] : []);
  const hasKey = methods.includes('key');
  const hasOther = member !== undefined || methods.some((method) => method !== 'key');
  const isKey = hasKey && (isKeyChosen || !hasOther);
  return (
    <div className={isPending ? `${styles.ways} ${styles.pending}` : styles.ways}>
      <ProblemAlert error={error} />
      {isKey ? (
        <KeyForm onSignedIn={onSignedIn} />
      ) : (
        <OtherWays methods={methods} returnTo={returnTo} onSignedIn={onSignedIn} member={member} />
      )}
      {hasKey && hasOther && (
        <Button look="quiet" onClick={() => setKeyChosen(!isKey)}>
          {isKey ? 'Use a link instead' : 'Use an API key instead'}
        </Button>
      )}
      <Disclosure summary="You run this installation?">
        <OperatorHelp member={member} />
      </Disclosure>
    </div>
  );
}

function OtherWays(props: SignInFormProps & { methods: readonly string[] }): ReactNode {
  const { methods, returnTo, onSignedIn, member } = props;
  const first = ['oidc', 'email', 'link'].find((way) => methods.includes(way));
  return (
    <>
      {methods.includes('oidc') && (
        <a className={styles.provider} href={`/auth/oidc?return_to=${encodeURIComponent(returnTo)}`}>
          Single sign-on
        </a>
      )}
      {methods.includes('email') && <EmailForm onSignedIn={onSignedIn} isFirst={first === 'email'} />}
      {(methods.includes('link') || member !== undefined) && (
        <LinkForm onSignedIn={onSignedIn} isFirst={first === 'link'} member={member} />
      )}
    </>
  );
}

const IS_LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

type FormProps = Pick<SignInFormProps, 'onSignedIn'>;
type WayProps = FormProps & { isFirst: boolean };

/**
 * Accepts the link of an invitation and a printed link. In a dialog over a page, opening the link itself would leave the
 * page.
 */
function LinkForm({ onSignedIn, isFirst, member }: WayProps & Pick<SignInFormProps, 'member'>): ReactNode {
  const [link, setLink] = useState('');
  const signIn = useMutation({
    mutationFn: () => aas.auth.link({ token: link.trim().split('#').at(-1) ?? '' }),
    onSuccess: onSignedIn,
  });
  return (
    <Form title="Use your invitation or sign-in link" onSubmit={() => signIn.mutate()}>
      <p className={styles.lead}>
        Open the link in the message that you received, or paste it here.
        {member === undefined && ' If you have none, ask an admin of your workspace to invite you.'}
      </p>
      <TextField
        label="Sign-in link"
        value={link}
        onChange={setLink}
        masked
        placeholder={`${location.origin}/console/sign-in#…`}
      />
      <ProblemAlert error={signIn.error} />
      <Button type="submit" look={isFirst ? 'primary' : 'plain'}>
        Sign in
      </Button>
    </Form>
  );
}

function KeyForm({ onSignedIn }: FormProps): ReactNode {
  const [apiKey, setApiKey] = useState('');
  const signIn = useMutation({
    mutationFn: () => aas.auth.key({ api_key: apiKey.trim() }),
    onSuccess: onSignedIn,
  });
  return (
    <Form title="Use an API key" onSubmit={() => signIn.mutate()}>
      <TextField label="API key" value={apiKey} onChange={setApiKey} masked autoFocus />
      <ProblemAlert error={signIn.error} />
      <Button type="submit" look="primary">
        Sign in
      </Button>
    </Form>
  );
}

function OperatorHelp({ member }: Pick<SignInFormProps, 'member'>): ReactNode {
  const command = `DATA_DIR=.data npm run keys -- sign-in-link --email ${member ?? 'ada@example.com'}`;
  return (
    <div className={styles.form}>
      {IS_LOCAL && member === undefined && (
        <p>
          <code>npm start</code> prints a sign-in link for the first admin. It also writes the API key of this admin to{' '}
          <code>admin.key</code> in <code>DATA_DIR</code>, which is <code>.data</code> by default.
        </p>
      )}
      <p>This command prints a sign-in link {member === undefined ? 'for a member' : `for ${member}`}:</p>
      <p className={styles.command}>
        <code>{command}</code> <CopyButton text={command} name="Copy command" />
      </p>
      <p>
        If the installation has another data folder, replace <code>.data</code> with its path.
      </p>
      {member === undefined && (
        <p>
          A new installation has no members. <code>npm run workspaces -- create</code> creates the first workspace and
          prints the API key of its admin.
        </p>
      )}
    </div>
  );
}

function EmailForm({ onSignedIn, isFirst }: WayProps): ReactNode {
  const [email, setEmail] = useState('');
  const send = useMutation({ mutationFn: () => aas.auth.email({ email: email.trim() }) });
  return (
    <>
      <Form title="Get a link by e-mail" onSubmit={() => send.mutate()}>
        <TextField label="E-mail" value={email} onChange={setEmail} inputMode="email" autoComplete="email" />
        <ProblemAlert error={send.error} />
        <Button type="submit" look={isFirst ? 'primary' : 'plain'}>
          Send link
        </Button>
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

function Form(props: { title?: string; onSubmit: () => void; children: ReactNode }): ReactNode {
  const { title, onSubmit, children } = props;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {title !== undefined && <h2 className={styles.way}>{title}</h2>}
      {children}
    </form>
  );
}

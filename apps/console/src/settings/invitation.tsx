import type { ReactNode } from 'react';
import type { aas } from '../data/api.js';
import { ShownOnce } from '../ui/copy-button.js';
import { formatDay } from '../ui/format-values.js';

export const MEMBERS = ['members'] as const;

export interface NewInvitation {
  email: string;
  invitation: Awaited<ReturnType<typeof aas.members.invite>>;
}

/** The link is shown even if it was also sent by mail, because a mail can get lost. */
export function InvitationLink({ email, invitation }: NewInvitation): ReactNode {
  const { url, mailed, expires_at: expiry } = invitation;
  return (
    <ShownOnce label="Invitation link" text={url}>
      {mailed ? (
        <>
          The invitation was mailed to <bdi>{email}</bdi>. The same link is shown here only once.
        </>
      ) : (
        <>
          Send this link to <bdi>{email}</bdi>. The link is shown here only once.
        </>
      )}{' '}
      The link works once, until {formatDay(expiry)}.
    </ShownOnce>
  );
}

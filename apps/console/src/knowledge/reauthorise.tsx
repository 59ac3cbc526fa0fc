import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import { openAuthorization, refusalOfProvider } from './oauth-return.js';
import type { SourceProps } from './knowledge-types.js';

/**
 * Notice that the provider no longer accepts the authorisation of the source. Its button starts a new authorisation.
 */
export function Reauthorise({ base, source, title }: SourceProps & { title: string }): ReactNode {
  const refusal = useRefusal('knowledge:write');
  const renew = useMutation({
    mutationFn: () => aas.sources.authorize(base, source.id),
    onSuccess: ({ authorize_url: url }) =>
      openAuthorization(url, `/console/knowledge/${source.knowledge_base}?tab=sources`),
  });
  const busy = renew.isPending || renew.isSuccess ? `${title} is being opened.` : null;
  return (
    <Notice tone="amber" title="The permission has expired">
      <p>{title} no longer accepts the permission, so syncs read nothing new. Searches still find its documents.</p>
      <ProblemAlert error={renew.error} />
      <Button look="primary" refusal={refusal ?? busy} onClick={() => renew.mutate()}>
        Renew permission
      </Button>
    </Notice>
  );
}

/** Explains why an authorisation failed. `code` is the error code in the page URL. */
export function OauthRefusal({ code }: { code: string | undefined }): ReactNode {
  return code === undefined ? null : <AlertBox title="The source is not connected" {...refusalOfProvider(code)} />;
}

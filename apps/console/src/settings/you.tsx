import type { ReactNode } from 'react';
import { useCaller } from '../data/session.js';
import { Card, Facts } from '../ui/page.js';
import { FoldedScopes } from './roles.js';

export function You(): ReactNode {
  const caller = useCaller();
  if (caller === undefined) return null;
  return (
    <Card title="You">
      <Facts
        facts={[
          ['Member', caller.member],
          ['Workspace', caller.workspace.name],
          ['Role', caller.role],
          ['May', <FoldedScopes key="scopes" scopes={caller.scopes} />],
        ]}
      />
    </Card>
  );
}

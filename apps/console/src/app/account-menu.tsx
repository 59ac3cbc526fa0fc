import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUser } from 'lucide-react';
import type { ReactNode } from 'react';
import { aas, type Caller } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useCaller } from '../data/session.js';
import { GUIDES_PATH } from '../data/guides.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { MenuButton, MenuItem, MenuSection } from '../ui/menu.js';
import { ProblemAlert } from '../ui/problem.js';
import { Word } from '../ui/word.js';
import { setTheme, type Theme, THEMES, useTheme } from './theme.js';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'System theme',
  light: 'Light theme',
  dark: 'Dark theme',
};

export function AccountMenu({ onShowKeys }: { onShowKeys: () => void }): ReactNode {
  const caller = useCaller();
  const theme = useTheme();
  const navigate = useNavigate();
  const signOut = useMutation({ mutationFn: () => aas.auth.signOut(), onSuccess: () => startAnew('/console/sign-in') });
  const change = useMutation({
    mutationFn: (workspace: string) => aas.sessions.switch({ workspace }),
    onSuccess: () => startAnew('/console/'),
  });
  const workspaces = caller !== undefined && caller.workspaces.length > 1 ? caller.workspaces : [];
  return (
    <>
      <MenuButton
        label={
          <>
            <CircleUser size={16} aria-hidden />
            <span>Account</span>
          </>
        }
      >
        <MenuSection header={<Who caller={caller} />}>
          <MenuItem name="Sessions" onAction={() => void navigate({ to: '/settings/sessions' })} />
          <MenuItem name="Keys" onAction={onShowKeys} />
          <MenuItem name="Guides" onAction={() => location.assign(GUIDES_PATH)} />
        </MenuSection>
        {workspaces.length > 0 && (
          <MenuSection header={<span>Workspaces</span>}>
            {workspaces.map(({ id, name, current }) => (
              <MenuItem
                key={id}
                name={name}
                isChosen={current}
                onAction={() => (current ? undefined : change.mutate(id))}
              />
            ))}
          </MenuSection>
        )}
        <MenuSection name="Theme">
          {THEMES.map((each) => (
            <MenuItem key={each} name={THEME_NAMES[each]} isChosen={each === theme} onAction={() => setTheme(each)} />
          ))}
        </MenuSection>
        <MenuSection name="Session">
          <MenuItem name="Sign out" onAction={() => signOut.mutate()} />
        </MenuSection>
      </MenuButton>
      <Failure title="The workspace was not switched" error={change.error} onClose={change.reset} />
      <Failure title="You are still signed in" error={signOut.error} onClose={signOut.reset} />
    </>
  );
}

/** Loads `path` as a new page, so that no data of the previous session stays in memory. */
function startAnew(path: string): void {
  queryClient.clear();
  location.assign(path);
}

function Who({ caller }: { caller: Caller | undefined }): ReactNode {
  if (caller === undefined) return <strong>Not signed in</strong>;
  const { member, role, session, workspace } = caller;
  return (
    <>
      <strong>{member}</strong>
      <span>
        <Word kind="role" value={role} />
        {session?.method === 'key' && ' (signed in with an API key)'} in {workspace.name}
      </span>
    </>
  );
}

function Failure(props: { title: string; error: unknown; onClose: () => void }): ReactNode {
  const { title, error, onClose } = props;
  return (
    <Dialog title={title} isOpen={error !== null && error !== undefined} onClose={onClose}>
      <ProblemAlert error={error} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

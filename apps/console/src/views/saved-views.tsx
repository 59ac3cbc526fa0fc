import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, fieldProblem } from '../data/api.js';
import { parseSearch, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { Dialog } from '../ui/dialog.js';
import { ActionForm } from '../ui/dialog-button.js';
import { Checklist, TextField } from '../ui/field.js';
import { MenuButton, MenuItem, MenuSection } from '../ui/menu.js';
import { ProblemAlert } from '../ui/problem.js';
import { viewQuery } from './view-query.js';

type SavedView = Awaited<ReturnType<typeof aas.savedViews.list>>['data'][number];

const VIEWS = ['saved-views'];

async function readViews(screen: SavedView['screen']): Promise<SavedView[]> {
  const views: SavedView[] = [];
  for await (const view of aas.savedViews.list({ screen, limit: 100, order: 'asc' })) views.push(view);
  return views.sort((a, b) => a.name.localeCompare(b.name));
}

export interface SavedViewsProps {
  screen: SavedView['screen'];
  search: Search;
}

type Task = 'save' | 'change' | 'delete';

/** Menu of the saved views of a list: chooses one, saves the present filters, and changes the chosen one. */
export function SavedViews({ screen, search }: SavedViewsProps): ReactNode {
  const navigate = useNavigate();
  const [task, setTask] = useState<Task>();
  const [lastId, setLastId] = useState<string>();
  const views = useQuery({ queryKey: [...VIEWS, screen], queryFn: () => readViews(screen), staleTime: 60_000 });
  const all = views.data ?? [];
  const query = viewQuery(search);
  const shown = all.find((view) => view.query === query);
  const chosen = shown ?? all.find(({ id }) => id === lastId);
  const items = (those: readonly SavedView[]): ReactNode =>
    those.map((view) => (
      <MenuItem
        key={view.id}
        name={view.name}
        isChosen={view === shown}
        onAction={() => {
          setLastId(view.id);
          void navigate({ to: `/${screen}`, search: parseSearch(view.query) });
        }}
      />
    ));
  const own = all.filter(({ shared }) => !shared);
  const shared = all.filter((view) => view.shared);
  const close = (): void => setTask(undefined);
  return (
    <>
      <MenuButton label={shown === undefined ? 'Views' : `View: ${shown.name}`} placement="bottom end">
        {own.length > 0 && <MenuSection header="Own views">{items(own)}</MenuSection>}
        {shared.length > 0 && <MenuSection header="Shared views">{items(shared)}</MenuSection>}
        <MenuSection name="Actions">
          <MenuItem name="Save view" onAction={() => setTask('save')} />
          {chosen && <MenuItem name={`Change ${chosen.name}`} onAction={() => setTask('change')} />}
          {chosen && <MenuItem name={`Delete ${chosen.name}`} onAction={() => setTask('delete')} />}
        </MenuSection>
      </MenuButton>
      <ProblemAlert error={views.error} />
      {task === 'save' && <SaveDialog screen={screen} query={query} onClose={close} onDone={setLastId} />}
      {task === 'change' && chosen && <ChangeDialog view={chosen} query={query} onClose={close} />}
      {task === 'delete' && chosen && <DeleteDialog view={chosen} onClose={close} />}
    </>
  );
}

function SaveDialog(props: {
  screen: SavedView['screen'];
  query: string;
  onClose: () => void;
  onDone: (id: string) => void;
}): ReactNode {
  const { screen, query, onClose, onDone } = props;
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  return (
    <Dialog title="Save view" isOpen onClose={onClose}>
      <ActionForm
        action="Save view"
        run={() => aas.savedViews.create({ screen, name, query, shared })}
        changes={VIEWS}
        onDone={({ id }) => onDone(id)}
        onClose={onClose}
      >
        {(error) => (
          <>
            <p>Saves the filters of this page under a name.</p>
            <TextField label="Name" value={name} onChange={setName} autoFocus problem={fieldProblem(error, '/name')} />
            <SharedField value={shared} onChange={setShared} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}

function ChangeDialog({ view, query, onClose }: { view: SavedView; query: string; onClose: () => void }): ReactNode {
  const [name, setName] = useState(view.name);
  const [shared, setShared] = useState(view.shared);
  const [filters, setFilters] = useState<readonly string[]>([]);
  const change = {
    ...(name !== view.name && { name }),
    ...(shared !== view.shared && { shared }),
    ...(filters.length > 0 && { query }),
  };
  return (
    <Dialog title={`Change ${view.name}`} isOpen onClose={onClose}>
      <ActionForm
        action="Change view"
        run={() => aas.savedViews.update(view.id, change)}
        changes={VIEWS}
        onClose={onClose}
      >
        {(error) => (
          <>
            <TextField label="Name" value={name} onChange={setName} autoFocus problem={fieldProblem(error, '/name')} />
            {query !== view.query && (
              <Checklist
                label="Filters"
                chosen={filters}
                onChange={setFilters}
                options={[{ value: 'present', label: 'Replace them by the filters of this page' }]}
              />
            )}
            <SharedField value={shared} onChange={setShared} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}

function DeleteDialog({ view, onClose }: { view: SavedView; onClose: () => void }): ReactNode {
  return (
    <Dialog title={`Delete ${view.name}`} isOpen onClose={onClose}>
      <ActionForm
        action="Delete view"
        look="danger"
        run={() => aas.savedViews.delete(view.id)}
        changes={VIEWS}
        onClose={onClose}
      >
        {() => (
          <p>
            {view.shared
              ? 'No member of the workspace sees the view any more. Runs and approvals stay.'
              : 'Only the view is deleted. Runs and approvals stay.'}
          </p>
        )}
      </ActionForm>
    </Dialog>
  );
}

function SharedField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }): ReactNode {
  const refusal = useRefusal('agents:run');
  return (
    <Checklist
      label="Who sees it"
      chosen={value ? ['shared'] : []}
      onChange={(chosen) => onChange(chosen.length > 0)}
      options={[{ value: 'shared', label: 'All members of the workspace' }]}
      hint={refusal ?? 'Without the mark, only you see the view.'}
    />
  );
}

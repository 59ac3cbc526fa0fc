import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Bell, BookOpen, Bot, ChartLine, House, Inbox, ListTree, Menu, Octagon, Search, Settings } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { useWaitingApprovals } from '../live/changes.js';
import { StopDialog } from '../stop/stop-dialog.js';
import { Button } from '../ui/button.js';
import { upTo99 } from '../ui/format-values.js';
import { MenuButton, MenuItem, MenuSection } from '../ui/menu.js';
import { AccountMenu } from './account-menu.js';
import { ConnectionBanner } from './connection-banner.js';
import { useRefusal, useWorkspace } from '../data/session.js';
import { SessionEnded, SignInAgain } from './session-ended.js';
import styles from './shell.module.css';
import { useGlobalKeys } from './global-keys.js';
import { PAGE_KEYS, STOP_KEY } from './key-groups.js';
import { Palette } from './palette.js';
import { StoppedBanner } from './stopped-banner.js';

const NeedsYou = lazy(() => import('./needs-you.js').then(({ NeedsYou: component }) => ({ default: component })));
const KeyHelp = lazy(() => import('./key-help.js').then(({ KeyHelp: component }) => ({ default: component })));

const PLACES: readonly (readonly [path: string, name: string, icon: ComponentType<{ size: number }>])[] = [
  ['/', 'Overview', House],
  ['/runs', 'Runs', ListTree],
  ['/approvals', 'Approvals', Inbox],
  ['/agents', 'Agents', Bot],
  ['/knowledge', 'Knowledge', BookOpen],
  ['/usage', 'Usage', ChartLine],
  ['/settings', 'Settings', Settings],
];

type Overlay = 'none' | 'palette' | 'keys' | 'stop' | 'needs';

export function Shell(): ReactNode {
  const [overlay, setOverlay] = useState<Overlay>('none');
  const navigate = useNavigate();
  const close = (): void => setOverlay('none');
  useGlobalKeys({
    openPalette: () => setOverlay('palette'),
    openHelp: () => setOverlay('keys'),
    goTo: (letter) => {
      const page = PAGE_KEYS[letter];
      if (letter === STOP_KEY) setOverlay('stop');
      else if (page) void navigate({ to: page[0] });
    },
  });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.side}>
        <div className={styles.head}>
          <Brand />
          <BellButton onOpen={() => setOverlay('needs')} />
        </div>
        <button type="button" className={styles.search} onClick={() => setOverlay('palette')}>
          <Search size={14} aria-hidden />
          <span>Search</span>
          <kbd aria-hidden>Ctrl K</kbd>
        </button>
        <Places />
        <div className={styles.foot}>
          <StopButton onOpen={() => setOverlay('stop')} />
          <AccountMenu onShowKeys={() => setOverlay('keys')} />
        </div>
      </header>
      <div className={styles.content}>
        <ConnectionBanner />
        <StoppedBanner />
        <Outlet />
      </div>
      <StopDialog isOpen={overlay === 'stop'} onClose={close} />
      <SessionEnded />
      <SignInAgain />
      {/* Not loaded lazily, so that it receives the keys that a person presses at once. */}
      {overlay === 'palette' && <Palette onClose={close} />}
      <Suspense>
        {overlay === 'keys' && <KeyHelp onClose={close} />}
        {overlay === 'needs' && <NeedsYou onClose={close} />}
      </Suspense>
    </div>
  );
}

function Brand(): ReactNode {
  const workspace = useWorkspace();
  return (
    <Link to="/" className={styles.brand}>
      <span className={styles.mark} aria-hidden>
        {(workspace?.name ?? 'A').slice(0, 1).toUpperCase()}
      </span>
      <span className={styles.name}>{workspace?.name ?? 'Agent Automation'}</span>
    </Link>
  );
}

function BellButton({ onOpen }: { onOpen: () => void }): ReactNode {
  const mine = useWaitingApprovals();
  const waiting = mine === 0 ? '' : `, ${upTo99(mine)} waiting for your decision`;
  return (
    <button
      type="button"
      className={styles.bell}
      aria-haspopup="dialog"
      aria-label={`What needs you${waiting}`}
      title="What needs you"
      onClick={onOpen}
    >
      <Bell size={16} aria-hidden />
      {mine > 0 && <span className={styles.count}>{upTo99(mine)}</span>}
    </button>
  );
}

/** Number of places in the bar of a phone. The others are in its menu. */
const IN_BAR = 4;

function Places(): ReactNode {
  const navigate = useNavigate();
  const mine = useWaitingApprovals();
  return (
    <nav className={styles.places} aria-label="Main">
      {PLACES.map(([path, name, Icon]) => (
        <Link
          key={path}
          to={path}
          className={styles.place}
          activeOptions={{ exact: path === '/' }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon size={16} />
          <span>{name}</span>
          {name === 'Approvals' && mine > 0 && (
            <span className={styles.count} title="Approvals of production runs that wait for you">
              {upTo99(mine)}
            </span>
          )}
        </Link>
      ))}
      <div className={styles.more}>
        <MenuButton
          label={
            <>
              <Menu size={16} aria-hidden />
              <span>More</span>
            </>
          }
        >
          <MenuSection name="More pages">
            {PLACES.slice(IN_BAR).map(([path, name]) => (
              <MenuItem key={path} name={name} onAction={() => void navigate({ to: path })} />
            ))}
          </MenuSection>
        </MenuButton>
      </div>
    </nav>
  );
}

/** Opens the stop dialog or, after a stop, the page that resumes. That page has buttons of its own, so this is absent. */
function StopButton({ onOpen }: { onOpen: () => void }): ReactNode {
  const refusal = useRefusal('workspace:stop');
  const isStopped = useWorkspace()?.status === 'stopped';
  const navigate = useNavigate();
  const isStopPage = useLocation().pathname === '/stop';
  if (isStopPage) return null;
  // One element for both, so that the focus returns to it when the dialog of the stop closes.
  return (
    <Button
      role={isStopped ? 'link' : undefined}
      className={isStopped ? styles.resume : styles.stop}
      refusal={refusal}
      onClick={() => (isStopped ? void navigate({ to: '/stop' }) : onOpen())}
    >
      <Octagon size={14} aria-hidden />
      <span>
        {isStopped ? 'Resume' : 'Stop all'}
        <span className={styles.rest}> agents{isStopped && ' …'}</span>
      </span>
    </Button>
  );
}

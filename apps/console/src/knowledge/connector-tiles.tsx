import { Braces, Database, FolderGit2, Globe, ListTree } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import styles from './connector-tiles.module.css';
import type { Connector } from './knowledge-types.js';

const ICONS: Readonly<Record<string, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  website: Globe,
  sitemap: ListTree,
  git: FolderGit2,
  github: FolderGit2,
  postgres: Database,
  mysql: Database,
  http_api: Braces,
};

export interface ConnectorTilesProps {
  connectors: readonly Connector[];
  chosen: string | undefined;
  onChoose: (kind: string) => void;
}

/** One tile for each connector, with what it reads and whether it can be used here. */
export function ConnectorTiles({ connectors, chosen, onChoose }: ConnectorTilesProps): ReactNode {
  const sorted = [...connectors].sort((one, other) => Number(other.available) - Number(one.available));
  return (
    <fieldset className={styles.tiles}>
      <legend>Connector</legend>
      {sorted.map(({ kind, title, description, available, auth }) => (
        <label key={kind} className={styles.tile} data-available={available}>
          <input
            type="radio"
            name="connector"
            value={kind}
            aria-label={title}
            checked={kind === chosen}
            onChange={() => onChoose(kind)}
          />
          <span className={styles.icon}>
            <Icon kind={kind} title={title} />
          </span>
          <span className={styles.text}>
            <strong>{title}</strong>
            <span className={styles.second}>{description}</span>
            {!available && <span className={styles.missing}>Needs an OAuth app, which the operator registers</span>}
            {available && auth === 'oauth' && <span className={styles.second}>You sign in at {title}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Icon({ kind, title }: { kind: string; title: string }): ReactNode {
  const Known = Object.hasOwn(ICONS, kind) ? ICONS[kind] : undefined;
  return Known === undefined ? title.slice(0, 1) : <Known size={18} aria-hidden />;
}

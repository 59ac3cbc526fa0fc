import { Braces, Database, FolderGit2, Globe, ListTree } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { Tiles, type TilesProps } from '../ui/tiles.js';
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

export interface ConnectorTilesProps extends Pick<TilesProps, 'chosen' | 'onChoose'> {
  connectors: readonly Connector[];
}

/** One tile for each connector, with what it reads and whether it can be used here. */
export function ConnectorTiles({ connectors, ...choice }: ConnectorTilesProps): ReactNode {
  const sorted = [...connectors].sort((one, other) => Number(other.available) - Number(one.available));
  const tiles = sorted.map(({ kind, title, description, available, auth }) => ({
    value: kind,
    title,
    description,
    icon: iconOf(kind),
    ...(!available && { missing: 'Needs an OAuth app, which the operator registers' }),
    ...(available && auth === 'oauth' && { note: `You sign in at ${title}` }),
  }));
  return <Tiles label="Connector" tiles={tiles} {...choice} />;
}

function iconOf(kind: string): ReactNode {
  const Known = Object.hasOwn(ICONS, kind) ? ICONS[kind] : undefined;
  return Known && <Known size={18} aria-hidden />;
}

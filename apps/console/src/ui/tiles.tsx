import type { ReactNode } from 'react';
import styles from './tiles.module.css';

export interface Tile {
  value: string;
  title: string;
  description: string;
  /** Default: the first letter of the title. */
  icon?: ReactNode;
  note?: string;
  /** Why the tile cannot be used here. It can still be chosen, to read more about it. */
  missing?: string;
}

export interface TilesProps {
  label: string;
  tiles: readonly Tile[];
  chosen: string | undefined;
  onChoose: (value: string) => void;
  problem?: string;
}

/** A choice of one of a few things, each with an icon and what it is for. */
export function Tiles({ label, tiles, chosen, onChoose, problem }: TilesProps): ReactNode {
  return (
    <fieldset className={styles.tiles}>
      <legend>{label}</legend>
      {tiles.map(({ value, title, description, icon, note, missing }) => (
        <label key={value} className={styles.tile} data-available={missing === undefined}>
          <input
            type="radio"
            name={label}
            value={value}
            aria-label={title}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          <span className={styles.icon}>{icon ?? title.slice(0, 1)}</span>
          <span className={styles.text}>
            <strong>{title}</strong>
            <span className={styles.second}>{description}</span>
            {missing !== undefined && <span className={styles.missing}>{missing}</span>}
            {note !== undefined && <span className={styles.second}>{note}</span>}
          </span>
        </label>
      ))}
      {problem !== undefined && <span className={styles.invalid}>{problem}</span>}
    </fieldset>
  );
}

import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection as AriaMenuSection,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import styles from './menu.module.css';

export interface MenuButtonProps {
  label: ReactNode;
  placement?: 'top start' | 'bottom start' | 'bottom end';
  /** Key that opens the menu. */
  shortcut?: string;
  children: ReactNode;
}

export function MenuButton({ label, placement = 'top start', shortcut, children }: MenuButtonProps): ReactNode {
  return (
    <MenuTrigger>
      <AriaButton className={styles.button} data-shortcut={shortcut}>
        {label}
      </AriaButton>
      <Popover className={styles.popover} placement={placement}>
        <AriaMenu className={styles.menu}>{children}</AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

/** A group of menu entries. If the group has no visible header, screen readers read `name`. */
export function MenuSection(props: { header?: ReactNode; name?: string; children: ReactNode }): ReactNode {
  const { header, name, children } = props;
  return (
    <AriaMenuSection className={styles.section} aria-label={name}>
      {header !== undefined && <Header className={styles.header}>{header}</Header>}
      {children}
    </AriaMenuSection>
  );
}

export interface MenuItemProps {
  name: string;
  isChosen?: boolean;
  onAction: () => void;
}

export function MenuItem({ name, isChosen = false, onAction }: MenuItemProps): ReactNode {
  return (
    <AriaMenuItem className={styles.item} textValue={name} onAction={onAction}>
      <span>{name}</span>
      {isChosen && <Check size={14} aria-label="chosen" />}
    </AriaMenuItem>
  );
}

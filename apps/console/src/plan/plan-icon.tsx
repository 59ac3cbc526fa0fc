import {
  Bot,
  Braces,
  CircleCheck,
  CirclePause,
  CircleX,
  Clock,
  Code,
  GitBranch,
  Hand,
  LogOut,
  MessageCircleQuestion,
  RefreshCw,
  Repeat,
  Search,
  Split,
  Wrench,
  Zap,
} from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';

const ICONS: Readonly<Record<string, ComponentType<{ size: number; 'aria-hidden': true }>>> = {
  tool: Wrench,
  retrieve: Search,
  let: Braces,
  code: Code,
  switch: GitBranch,
  for_each: Repeat,
  repeat: RefreshCw,
  parallel: Split,
  approval: Hand,
  ask: MessageCircleQuestion,
  wait: Clock,
  agent: Bot,
  assert: CircleCheck,
  hand_off: LogOut,
  fail: CircleX,
  output: CircleCheck,
  trigger: Zap,
  branch: GitBranch,
};

/** The icon of a kind of step. The kind must also be readable as text. */
export function PlanIcon({ kind }: { kind: string }): ReactNode {
  const Icon = ICONS[kind] ?? CirclePause;
  return <Icon size={14} aria-hidden />;
}

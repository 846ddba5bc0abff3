/**
 * Icons of Lucide (https://lucide.dev), copyright Lucide Icons and Contributors, ISC licence.
 *
 * After a change of the names: `npm run build:icons`.
 */

import { createElement, type ReactElement, type SVGProps } from 'react';
import shapes from './icons.json' with { type: 'json' };

type IconProps = SVGProps<SVGSVGElement> & { size?: number | string };

export type Icon = (props: IconProps) => ReactElement;

const frame = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

function createIcon(parts: unknown): Icon {
  const children = (parts as [string, object][]).map(([tag, attributes]) => createElement(tag, attributes));
  /** Hidden from assistive technology unless it has a label of its own. */
  return ({ size = 24, 'aria-label': label, ...props }) =>
    createElement(
      'svg',
      { ...frame, width: size, height: size, 'aria-label': label, 'aria-hidden': !label, ...props },
      ...children,
    );
}

const entries = Object.entries(shapes).map(([name, parts]) => [name, createIcon(parts)]);

// biome-ignore format: one name a line is long
export const {
  Activity, ArrowDown, ArrowDownRight, ArrowUp, ArrowUpRight, BrainCircuit, CalendarClock, CalendarDays,
  ChartLine, Check, ChevronDown, ChevronLeft, ChevronRight, ChevronsUpDown, CircleAlert, CircleCheck, Code2,
  Columns2, Copy, CornerUpRight, Download, Ellipsis, EyeOff, FileSliders, FileUp, FlaskConical, GripVertical,
  History, KeyRound, Languages, LayoutGrid, Library, ListX, LogOut, Mails, Megaphone, Moon, Package,
  PackageOpen, Pause, Pencil, Pin, Play, Plus, Radio, Redo2, Replace, RotateCw, Rows3, Search,
  SearchX, Square, Sun, Trash2, TriangleAlert, Undo2, UserRound, UserRoundX, Users, Variable, Webhook, X,
} = Object.fromEntries(entries) as Record<keyof typeof shapes, Icon>;

/** Arrow of something that opens below itself. */
export const OpenArrow = ({ isOpen, ...props }: IconProps & { isOpen: boolean }) =>
  (isOpen ? ChevronDown : ChevronRight)(props);

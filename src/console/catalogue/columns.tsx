/** Properties as columns of the list, remembered by environment in this browser. */

import { Button, Checkbox, Popover, Stack, Text } from '@mantine/core';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { type Property, useProperties } from '../grammar/properties.ts';
import { formatMoment, formatNumber } from '../kit/format.ts';
import { Columns2 } from '../kit/icons.ts';
import { usePreference } from '../kit/preferences.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import classes from './list.module.css';

const mostColumns = 5;

/** Parts of every row. */
const shown = ['title', 'item_type', 'price'];

function useChoice() {
  const { name } = useConsole().environment;
  return usePreference<string[]>(`columns of ${name}`, []);
}

export function useColumns(): Property[] {
  const [chosen] = useChoice();
  return useProperties('here').filter(({ key }) => chosen.includes(key));
}

export function ColumnChoice() {
  const [chosen, choose] = useChoice();
  const properties = useProperties('here').filter(({ key }) => !shown.includes(key));
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="compact-sm" leftSection={<Columns2 size={14} />}>
          {t('Columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        <Checkbox.Group
          label={t('Columns')}
          description={t('At most {mostColumns}', { mostColumns })}
          value={chosen}
          onChange={(next) => next.length <= mostColumns && choose(next)}
        >
          <Stack gap="xs" mt="xs">
            {properties.map(({ key, label }) => (
              <Checkbox key={key} value={key} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}

const width = 110;

/** Names above the rows; each cell tells its own to screen readers. */
export function ColumnNames({ columns }: { columns: readonly Property[] }) {
  return (
    <div className={`${classes.names} ${classes.wide}`} aria-hidden>
      {columns.map(({ key, label }) => (
        <Text key={key} size="xs" fw={600} w={width} truncate>
          {label}
        </Text>
      ))}
    </div>
  );
}

export function Cells({ item, columns }: { item: Item; columns: readonly Property[] }) {
  return columns.map((column) => (
    <Text key={column.key} size="xs" w={width} className={classes.wide} truncate>
      <span className="visually-hidden">{column.label}: </span>
      <bdi>{textOf(item, column)}</bdi>
    </Text>
  ));
}

function textOf(item: Item, { key, type }: Property): string {
  const field = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Item;
  const value: unknown = item.properties?.[key] ?? item[field];
  if (value === undefined) return '–';
  if (type === 'datetime') return formatMoment(new Date(String(value)));
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

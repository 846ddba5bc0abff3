import { ConnectError } from '@connectrpc/connect';
import { Combobox, Group, Kbd, Loader, Modal, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { type Ref, useEffect, useImperativeHandle, useState } from 'react';
import { useLocation } from 'wouter';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { TextField } from '../kit/fields.tsx';
import { FileSliders, type Icon, Package, Search } from '../kit/icons.ts';
import { itemPath } from '../kit/item-names.ts';
import { useRead } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { useActions } from './actions.ts';
import { pages } from './navigation.ts';
import { useOfferedPages } from './shell.tsx';

/** `path` identifies a command; one with `run` leads nowhere. */
type Command = { path: string; label: string; detail: string; icon: Icon; run?(): void };

export type PaletteHandle = { open(): void };

const label = t('Page, rule set, item or action');

type PaletteProps = { onClose(): void; onKeys(): void };

/** Opens a page, a rule set or an item, or runs an action, by a part of its name. Its state is its own, so that opening it renders nothing else. */
export function CommandPalette({ ref, onKeys }: { ref: Ref<PaletteHandle>; onKeys(): void }) {
  const [isOpen, palette] = useDisclosure(false);
  useHotkeys([['mod+K', palette.toggle]], []);
  useImperativeHandle(ref, () => ({ open: palette.open }), [palette]);
  return (
    <Modal
      opened={isOpen}
      onClose={palette.close}
      withCloseButton={false}
      padding={6}
      size="lg"
      yOffset="12vh"
      title={<span className="visually-hidden">{t('Search the console')}</span>}
      styles={{ header: { minHeight: 0, padding: 0 } }}
      transitionProps={{ duration: 0 }}
    >
      {isOpen && <Palette onClose={palette.close} onKeys={onKeys} />}
    </Modal>
  );
}

function Palette({ onClose, onKeys }: PaletteProps) {
  const [wanted, setWanted] = useState('');
  const [, navigate] = useLocation();
  const { pathTo } = useConsole();
  const { commands, isLooking, error } = useCommands(wanted, onKeys);
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const { selectFirstOption } = combobox;
  const offered = commands.map(({ path }) => path).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other commands have another first one
  useEffect(() => void selectFirstOption(), [offered]);
  const run = (path: string) => {
    onClose();
    const action = commands.find((command) => command.path === path)?.run;
    if (action) action();
    else navigate(pathTo(path));
  };
  return (
    <Combobox store={combobox} onOptionSubmit={run}>
      <Combobox.EventsTarget>
        <TextField
          data-autofocus
          variant="unstyled"
          px="xs"
          placeholder={label}
          aria-label={label}
          leftSection={<Search size={16} />}
          rightSection={<Kbd size="xs">{t('esc')}</Kbd>}
          value={wanted}
          onChange={setWanted}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label={t('Matches')} mah="50vh" style={{ overflowY: 'auto' }}>
        {commands.map((command) => (
          <Combobox.Option key={command.path} value={command.path}>
            <Group gap={10} wrap="nowrap">
              <command.icon size={16} />
              <Text size="sm" truncate flex={1}>
                {command.label}
              </Text>
              <Text size="xs" className="quiet" truncate maw="45%">
                {command.detail}
              </Text>
            </Group>
          </Combobox.Option>
        ))}
        {error && <Combobox.Empty>{ConnectError.from(error).rawMessage}</Combobox.Empty>}
        {isLooking && <Loader size={14} m="md" role="status" aria-label={t('Searching')} />}
        {commands.length === 0 && !isLooking && !error && <Combobox.Empty>{t('No matches.')}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

const mostOfAKind = 6;
const pauseMs = 120;

/** Matches so far, and the error that may make them incomplete. */
function useCommands(typed: string, onKeys: () => void) {
  const actions = useActions(onKeys);
  const { can } = useConsole();
  const offered = useOfferedPages();
  const wanted = typed.trim().toLowerCase();
  const [text] = useDebouncedValue(wanted, pauseMs);
  const has = (path: string) => pages.some((page) => page.path === path);
  const ruleSets = useRuleSets({ enabled: can('configurations') && has('configurations') });
  const found = useRead(
    CatalogueService.method.listItems,
    { query: text, pageSize: mostOfAKind },
    { enabled: text.length > 1 && can('items') && has('catalogue') },
  );
  const matches = (name: string) => name.toLowerCase().includes(wanted);
  const named = (ruleSets.data ?? []).filter((one) => matches(`${one.name} ${one.configurationId}`));
  const items = text.length > 1 ? (found.data?.items ?? []) : [];
  const commands: Command[] = [
    ...offered
      .filter(({ title, purpose }) => matches(title) || (wanted.length > 2 && matches(purpose)))
      .map(({ path, title, purpose, icon }) => ({ path, label: title, detail: purpose, icon })),
    ...(wanted === '' ? [] : actions)
      .filter((action) => matches(`${action.label} ${action.detail}`))
      .map((action) => ({ ...action, path: `action ${action.label}` })),
    ...(wanted === '' ? [] : named.slice(0, mostOfAKind)).map(({ name, configurationId: id }) => ({
      path: `configurations/${encodeURIComponent(id)}`,
      label: name || id,
      detail: name ? t('Rule set {id}', { id }) : t('Rule set'),
      icon: FileSliders,
    })),
    ...items.map((item) => ({
      path: itemPath(item),
      label: item.title ?? item.itemId ?? '',
      detail: item.itemType ?? '',
      icon: Package,
    })),
  ];
  const isLooking = text !== wanted || ruleSets.isLoading || found.isLoading;
  return { commands, isLooking, error: ruleSets.error ?? found.error };
}

import type { ConnectError } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import { Kbd, Loader, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { FileSliders, type LucideIcon, Package, Search } from 'lucide-react';
import { type KeyboardEvent, type Ref, useEffect, useId, useImperativeHandle, useState } from 'react';
import { useLocation } from 'wouter';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import classes from './command-palette.module.css';
import { pages } from './navigation.ts';
import { useOfferedPages } from './shell.tsx';

type Command = { key: string; label: string; detail: string; icon: LucideIcon; path: string };

export type PaletteHandle = { open(): void };

/**
 * Goes to a page, a configuration or an item by a few letters of its name. It opens by itself, so that nothing else is
 * drawn again for it.
 */
export function CommandPalette({ ref }: { ref: Ref<PaletteHandle> }) {
  const [isOpen, palette] = useDisclosure(false);
  useHotkeys([['mod+K', palette.toggle]], []);
  useImperativeHandle(ref, () => ({ open: palette.open }), [palette]);
  return (
    <Modal
      opened={isOpen}
      onClose={palette.close}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title={<span className="visually-hidden">Go to or find</span>}
      classNames={{ header: classes.header }}
      transitionProps={{ duration: 0 }}
    >
      {isOpen && <Palette onClose={palette.close} />}
    </Modal>
  );
}

function Palette({ onClose }: { onClose(): void }) {
  const [wanted, setWanted] = useState('');
  const [place, setPlace] = useState(0);
  const [, navigate] = useLocation();
  const { pathTo } = useConsole();
  const listId = useId();
  const { commands, isLooking, error } = useCommands(wanted);
  const chosen = Math.min(place, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    navigate(pathTo(command.path));
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setPlace(Math.max(0, Math.min(commands.length - 1, chosen + step)));
    else if (event.key === 'Enter') run(commands[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, listId]);

  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        className={classes.input}
        placeholder="Page, configuration or item"
        aria-label="Page, configuration or item"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={commands.length > 0 ? `${listId}-${chosen}` : undefined}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={<Kbd size="xs">esc</Kbd>}
        value={wanted}
        onChange={(event) => {
          setWanted(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Matches" className={classes.list}>
        {commands.map((command, i) => (
          <UnstyledButton
            key={command.key}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            className={classes.option}
            onClick={() => run(command)}
          >
            <command.icon size={16} aria-hidden />
            <Text size="sm" truncate flex={1}>
              {command.label}
            </Text>
            <Text size="xs" className="quiet" truncate maw="45%">
              {command.detail}
            </Text>
          </UnstyledButton>
        ))}
        {error && (
          <Text size="sm" p="md">
            {error.rawMessage}
          </Text>
        )}
        {isLooking && <Loader size={14} m="md" role="status" aria-label="Searching" />}
        {commands.length === 0 && !isLooking && !error && (
          <Text size="sm" className="quiet" p="md">
            Nothing is called so.
          </Text>
        )}
      </div>
    </>
  );
}

const mostOfAKind = 6;

type Found = { commands: Command[]; isLooking: boolean; error: ConnectError | null };

/** What was found so far, and why not all of it could be looked for. */
function useCommands(wanted: string): Found {
  const { environment, can } = useConsole();
  const offered = useOfferedPages();
  const [text] = useDebouncedValue(wanted.trim().toLowerCase(), 120);
  const has = (path: string) => pages.some((page) => page.path === path);
  const canConfigure = can('configurations', 'everywhere') && has('configurations');
  const configurations = useQuery(
    ConfigurationService.method.listConfigurations,
    {},
    { enabled: canConfigure },
  );
  const found = useQuery(
    CatalogueService.method.listItems,
    { environment: environment.name, text, pageSize: mostOfAKind },
    { enabled: text.length > 1 && can('items') && has('catalogue') },
  );
  const matches = (name: string) => name.toLowerCase().includes(wanted.trim().toLowerCase());
  const commands = [
    ...offered
      .filter(({ title, purpose }) => matches(title) || (wanted.length > 2 && matches(purpose)))
      .map(({ path, title, purpose, icon }) => ({ key: path, label: title, detail: purpose, icon, path })),
    ...(configurations.data?.configurationIds ?? [])
      .filter((id) => wanted !== '' && matches(id))
      .slice(0, mostOfAKind)
      .map((id) => ({
        key: `configuration ${id}`,
        label: id,
        detail: 'Configuration',
        icon: FileSliders,
        path: `configurations/${encodeURIComponent(id)}`,
      })),
    ...(text.length > 1 ? (found.data?.items ?? []) : []).map(({ itemId = '', itemType = '', title }) => ({
      key: `item ${itemType} ${itemId}`,
      label: title ?? itemId,
      detail: itemType,
      icon: Package,
      path: `catalogue/${encodeURIComponent(itemType)}/${encodeURIComponent(itemId)}`,
    })),
  ];
  const isLooking = text !== wanted.trim().toLowerCase() || configurations.isLoading || found.isLoading;
  return { commands, isLooking, error: configurations.error ?? found.error };
}

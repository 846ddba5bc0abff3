import { Kbd, Modal, Table } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { SwitchField } from '../kit/fields.tsx';
import { useDense, useKeysOff } from '../kit/preferences.ts';
import { t } from '../texts/texts.ts';
import { useThemeToggle } from './actions.ts';

const words: [keys: string[], does: string][] = [
  [[t('Ctrl K'), '/'], t('Search pages, rule sets and items, and run actions')],
  [['n'], t('Create, on pages that list something')],
  [['j', 'k'], t('Next and previous row; Enter opens it')],
  [['t'], t('Light or dark theme')],
  [['d'], t('Dense or comfortable spacing')],
  [['?'], t('These shortcuts')],
];

/** Links of the page's rows, in order. */
const rowLinks = 'main :is(tbody tr, li) .row-link:first-of-type, main a[data-row]';

/** Focuses the link of the next or previous row. */
function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(rowLinks)].filter((link) =>
    link.checkVisibility(),
  );
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const create = () => document.querySelector<HTMLElement>('main [data-create]')?.click();

type ShortcutsProps = { isOpen: boolean; onOpen(): void; onClose(): void; onSearch(): void };

/** Single keys, and their list. They do nothing while the user types, or in a dialog. */
export function Shortcuts({ isOpen, onOpen, onClose, onSearch }: ShortcutsProps) {
  const [areOff, setOff] = useKeysOff();
  const [isDense, setDense] = useDense();
  const theme = useThemeToggle();
  const outsideDialogs = (run: () => void) => () => {
    if (!document.querySelector('[role=dialog]')) run();
  };
  const keys: [string, () => void][] = [
    ['/', onSearch],
    ['shift+/', onSearch],
    ['n', create],
    ['j', () => moveRow(1)],
    ['k', () => moveRow(-1)],
    ['t', theme.toggle],
    ['d', () => setDense(!isDense)],
    ['shift+?', onOpen],
  ];
  useHotkeys(areOff ? [] : keys.map(([key, run]) => [key, outsideDialogs(run)]));
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('Keyboard shortcuts')}
      transitionProps={{ duration: 0 }}
    >
      <Table aria-label={t('Keyboard shortcuts')} layout="fixed">
        <Table.Tbody>
          {words.map(([names, does]) => (
            <Table.Tr key={does}>
              <Table.Th w={110}>
                {names.map((name) => (
                  <Kbd key={name} me={4}>
                    {name}
                  </Kbd>
                ))}
              </Table.Th>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <SwitchField
        mt="md"
        label={t('Single-key shortcuts')}
        checked={!areOff}
        onChange={(isOn) => setOff(!isOn)}
      />
    </Modal>
  );
}

/** Opens the link of a row by a click anywhere in the row, unless it hits a control or selects text. */
export function openRow({
  target,
  ctrlKey,
  metaKey,
}: {
  target: EventTarget;
  ctrlKey: boolean;
  metaKey: boolean;
}) {
  if (!(target instanceof Element) || target.closest('a, button, input, label, [role=option]')) return;
  const link = target.closest('tbody tr')?.querySelector<HTMLAnchorElement>('a.row-link');
  if (!link || getSelection()?.type === 'Range') return;
  if (ctrlKey || metaKey) open(link.href, '_blank');
  else link.click();
}

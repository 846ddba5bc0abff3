import { Group, Text, UnstyledButton } from '@mantine/core';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { ItemPicture } from '../kit/item-picture.tsx';
import { modelColor, modelName } from '../kit/models.ts';
import { usePrice } from '../kit/price.ts';
import classes from './list-section.module.css';
import { text } from './text.ts';
import type { ItemExplanation } from './types.ts';

type ListCardProps = {
  explanation: ItemExplanation;
  item?: Item;
  /** The best score of the list, which fills the bar. */
  most: number;
  /** What each model adds to an item of the list on average. */
  usual: ReadonlyMap<string, number>;
  otherRank?: number | 'absent';
  onWhy(): void;
  onPretend(): void;
};

export function ListCard({ explanation, item, most, usual, otherRank, onWhy, onPretend }: ListCardProps) {
  const { rank, itemId, itemType } = explanation;
  const title = item?.title ?? itemId;
  const price = usePrice(item);
  const reason = reasonWords(explanation, usual);
  return (
    <li className={classes.card}>
      <div className={classes.top}>
        <ItemPicture item={item} name={itemId} />
        <span className={`${classes.rank} numbers`}>{rank}</span>
        <Moved rank={rank} otherRank={otherRank} />
      </div>
      <Text size="sm" fw={500} lh={1.35} className="clamp-2" mih="2.7em" title={title}>
        <bdi>{title}</bdi>
      </Text>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text size="xs" className="quiet" truncate>
          {itemType}
        </Text>
        {price !== undefined && (
          <Text size="xs" className="numbers">
            {price}
          </Text>
        )}
      </Group>
      <UnstyledButton className={classes.why} onClick={onWhy} aria-label={`Why ${title}: ${reason}`}>
        <span className={classes.bar}>
          {explanation.parts
            .filter(({ score }) => score > 0)
            .map(({ model, score }) => (
              <span
                key={model}
                style={{ width: `${(100 * score) / most}%`, background: modelColor(model) }}
              />
            ))}
        </span>
        <Text size="xs" className="quiet" mt={3} truncate component="span" display="block">
          {reason}
        </Text>
      </UnstyledButton>
      <UnstyledButton
        className={classes.pretend}
        onClick={onPretend}
        aria-label={`${text.pretend}: ${title}`}
      >
        {text.pretend}
      </UnstyledButton>
    </li>
  );
}

/** In a word or two, what sets the item apart: the model that gives it most beyond what others of the list get from it. */
function reasonWords(
  { parts, source, step, preferences }: ItemExplanation,
  usual: ReadonlyMap<string, number>,
): string {
  const lead = ({ model, score }: { model: string; score: number }) => score - (usual.get(model) ?? 0);
  const [strongest] = parts.filter(({ score }) => score > 0).sort((a, b) => lead(b) - lead(a));
  const reason = strongest
    ? modelName(strongest.model)
    : (text.fallbacks[step] ?? text.sources[source] ?? source);
  return preferences.length > 0 ? `Preferred · ${reason}` : reason;
}

function Moved({ rank, otherRank }: { rank: number; otherRank?: number | 'absent' }) {
  if (otherRank === undefined || otherRank === rank) return null;
  if (otherRank === 'absent') {
    return <span className={`${classes.moved} quiet`}>only here</span>;
  }
  const steps = otherRank - rank;
  return (
    <span className={`${classes.moved} numbers`} style={{ color: steps > 0 ? 'var(--up)' : 'var(--down)' }}>
      <span aria-hidden>{steps > 0 ? '▲' : '▼'}</span>
      <span className="visually-hidden">{steps > 0 ? 'up' : 'down'} </span>
      {Math.abs(steps)}
    </span>
  );
}

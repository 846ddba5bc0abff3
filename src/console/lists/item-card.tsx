import { Group, Text, UnstyledButton } from '@mantine/core';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { ItemExplanation } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { modelColor, modelName } from '../kit/colors.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { usePrice } from '../kit/items.ts';
import { t } from '../texts/texts.ts';
import classes from './list-section.module.css';

type ItemCardProps = {
  explanation: ItemExplanation;
  item?: Item;
  /** Best score of the list; fills the bar. */
  most: number;
  otherRank?: number | 'absent';
  onExplain(): void;
  onSimulate(): void;
};

export function ItemCard({ explanation, item, most, otherRank, onExplain, onSimulate }: ItemCardProps) {
  const { rank, itemId, itemType } = explanation;
  const title = item?.title ?? itemId;
  const price = usePrice(item);
  const reason = reasonWords(explanation);
  return (
    <li className={classes.card}>
      <div className={classes.top}>
        <ItemPicture item={item} name={itemId} />
        <span className={`${classes.rank} numbers`}>{rank}</span>
        <RankChange rank={rank} otherRank={otherRank} />
      </div>
      <Text size="sm" fw={500} lh={1.35} className="clamp-2" mih="2.7em" title={title}>
        <bdi>{title}</bdi>
      </Text>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text size="xs" className="quiet" truncate>
          {itemType}
        </Text>
        <Text size="xs" className="numbers">
          {price}
        </Text>
      </Group>
      <UnstyledButton
        className={classes.why}
        onClick={onExplain}
        aria-label={t('Why {title}: {reason}', { title, reason })}
      >
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
        className={classes.simulate}
        onClick={onSimulate}
        aria-label={t('Simulate a click: {title}', { title })}
      >
        {t('Simulate a click')}
      </UnstyledButton>
    </li>
  );
}

const sources: Record<string, string> = {
  injected: t('Placed by the request'),
  pinned: t('Pinned'),
  models: t('Scored by the models'),
  fallback: t('Filler: no model score'),
};

/** Steps of the fallback, which are more precise than its source. */
const fallbacks: Record<string, string> = {
  segment: t('Filler: trending in the visitor’s segment'),
  trending: t('Filler: trending overall'),
  newest: t('Filler: new items'),
  rest: t('Filler: rest of the catalogue'),
};

export const sourceWords = ({ step, source }: ItemExplanation): string =>
  fallbacks[step] ?? sources[source] ?? source;

/** Names the model with the largest part of the score. */
function reasonWords(explanation: ItemExplanation): string {
  const { parts, preferences } = explanation;
  const [strongest] = parts.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const reason = strongest ? modelName(strongest.model) : sourceWords(explanation);
  return preferences.length > 0 ? t('Boosted · {reason}', { reason }) : reason;
}

function RankChange({ rank, otherRank }: { rank: number; otherRank?: number | 'absent' }) {
  if (otherRank === undefined || otherRank === rank) return null;
  if (otherRank === 'absent') return <span className={`${classes.moved} quiet`}>{t('only here')}</span>;
  const steps = otherRank - rank;
  return (
    <span className={`${classes.moved} numbers`} style={{ color: steps > 0 ? 'var(--up)' : 'var(--down)' }}>
      <span aria-hidden>{steps > 0 ? '▲' : '▼'}</span>
      <span className="visually-hidden">{steps > 0 ? t('up') : t('down')} </span>
      {Math.abs(steps)}
    </span>
  );
}
